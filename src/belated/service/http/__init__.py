"""The service over HTTP: the same desks, for programs in any language and on any machine.

====================  =============================================================================================
``wire``              what comes in and goes out, as types
``problems``          errors as statuses and JSON
``routes``            every route as data: method, path, scope, what it takes and returns
``deciding``          asks, tells and give-ups
``running``           learners are made, configured, paused and looked at
``managing``          keys, health, metrics
``endpoint``          what is done around each route: key, scope, limits, reply after the commit
``commits``           waiting for the journal in an event loop
``openapi``           the description of all routes, made from them
``metrics``           numbers for Prometheus
``app``               the application
``connections``       how much may come before the head of a request has ended
``serving``           the application in a process, from start to drain
====================  =============================================================================================
"""
