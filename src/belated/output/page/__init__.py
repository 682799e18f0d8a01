"""Reports as one file of HTML: words, tables and pictures that can be looked into, without a network.

=====================  ===============================================================================================
file                   what is in it
=====================  ===============================================================================================
``blocks``             what a page is made of: words, tables, verdicts, curves and intervals, as plain numbers
``thin``               which points of long curves are kept
``scales``             axes: where they begin and end, and what is written along them
``svg``                the little of SVG that drawings are made of
``figure``             curves as SVG
``intervals``          means with their intervals as SVG
``delays``             the pictures of delays: the law, and what arrives and is in flight
``data``               the numbers of pictures and tables as JSON
``page``               the page, with ``page.html.jinja``, ``page.css``, ``scales.js`` and ``page.js``
=====================  ===============================================================================================

Python draws, and the script reveals: without scripts the page shows the same pictures and numbers. ADR 0020 says why.
Drawing needs NumPy, and making a page needs jinja2, which comes with the extra ``figures``.
"""
