"""The page of the service in a real browser, before a real service."""

import re
import shlex

from playwright.sync_api import expect

from support.browsing import lacking


def figure(page, name):
    """A figure of a learner by its name."""
    return page.locator(".figures > div", has=page.locator("dt", has_text=re.compile(f"^{name}$"))).locator("dd")


def test_a_wrong_key_is_told_and_the_right_one_is_kept_in_the_tab_only(served, watch):
    watched = watch()
    page = watched.page
    key = page.get_by_label("Key")
    for wrong, told in (("", "Enter a key."), ("bl_wrong", "This key is not known here."), ("ключ", "Enter a key.")):
        key.fill(wrong)
        page.get_by_role("button", name="Log in").click()
        expect(page.locator(".field .problem")).to_have_text(told)
        expect(key).to_be_focused()
        expect(key).to_have_attribute("aria-invalid", "true")
    watched.log_in(f"  {served.key}  ")
    page.reload()
    expect(page.get_by_role("heading", name="Learners")).to_be_visible()
    assert page.evaluate("localStorage.length + document.cookie.length") == 0
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    expect(page.get_by_label("Key")).to_be_focused()


def test_a_learner_lives_before_somebody_who_looks(served, watch):
    watched = watch()
    page = watched.log_in(served.key)
    page.get_by_role("link", name="New learner").click()
    page.get_by_label("Name (required)").fill("price")
    page.get_by_label("Lowest setting").fill("5")
    page.get_by_label("Highest setting").fill("20")
    page.get_by_label("Least cost").fill("0")
    page.get_by_label("Largest cost").fill("100")
    page.get_by_label("Rounds").fill("1,000")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".problem:visible")).to_have_text("must be a whole number without commas")
    expect(page.get_by_label("Rounds")).to_be_focused()
    page.get_by_label("Rounds").fill("1000")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="price")).to_be_focused()
    expect(page.locator("#said")).to_have_text("price is made.")
    expect(page.locator("pre", has_text="/v1/learners/price/tell")).to_contain_text("what it cost")  # how to go on
    expect(page.locator(".figures dt", has_text="Rate")).to_be_hidden()

    play = served.post("/learners/price/ask", decision="monday")
    served.post("/learners/price/ask", decision="tuesday")
    expect(figure(page, "Pending")).to_have_text("2")
    served.post("/learners/price/tell", decision="monday", feedback=[40.0])
    expect(figure(page, "Answered")).to_have_text("1")
    expect(figure(page, "Mean told")).to_have_text("40")
    expect(page.locator("pre", has_text="/v1/learners/price/tell")).to_contain_text('"feedback":[40]')
    expect(figure(page, "Pending")).to_have_text("1")
    assert 5 <= play["points"][0][0] <= 20
    expect(page.locator("rect title", has_text=re.compile(": 1$"))).to_have_count(1)  # the delay of one answer

    rows = page.get_by_role("table", name="Decisions").locator("tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_label("Show").select_option("that wait")
    expect(rows).to_have_count(1)
    page.get_by_label("Look up an id").fill("monday")
    page.keyboard.press("Enter")
    expect(page.locator(".timeline h2")).to_have_text(["Asked", "Answered and learned"])
    expect(page.locator(".timeline")).to_contain_text("after the ask")
    expect(page.locator(".timeline dd")).to_have_text([str(play["points"][0][0]), "1", "40"])  # every digit
    expect(page.locator("#said")).to_have_text("")  # what was said of another view is gone
    page.go_back()
    expect(page).to_have_url(f"{served.address}/#/learner/price")

    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Fixed decision").fill("7.5")
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(page.locator("h1 + .state")).to_have_text("paused")
    assert served.post("/learners/price/ask", decision="wednesday")["points"] == [[7.5]]
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("h1 + .state")).to_have_text("running")
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("h1 + .state")).to_have_text("running")
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    expect(page.locator("h1 + .state")).to_have_text("archived")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    assert watched.failed == []


def test_a_learner_that_is_there_already_is_told_and_linked_to(served, watch):
    served.post("/learners", name="twice", ranges={"lower": [5], "upper": [20], "values": [0, 100], "rounds": 1000})
    page = watch().log_in(served.key)
    page.get_by_role("link", name="New learner").click()
    for label, text in {"Name": "twice", "Lowest": "5", "Highest": "20", "Least": "0", "Largest": "100"}.items():
        page.get_by_label(label).fill(text)
    page.get_by_label("Rounds").fill("1000")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("status").filter(has_text="there")).to_have_text("twice is there already.")
    page.get_by_role("link", name="twice").click()
    expect(page.get_by_role("heading", name="twice")).to_be_focused()


def test_a_cost_that_nobody_has_filled_in_is_refused(served, watch):
    path = "/learners/unfilled"
    served.post("/learners", name="unfilled", ranges={"lower": [5], "upper": [20], "values": [0, 100], "rounds": 1000})
    served.post(f"{path}/ask", decision="monday")
    page = watch().log_in(served.key)
    page.goto("/#/learner/unfilled")
    page.get_by_text("How to ask and tell").click()
    text = page.locator("pre", has_text="/tell'").text_content()  # also if the page is drawn anew meanwhile
    body = shlex.split(text.replace("\\\n", ""))[4]
    reply = served.http.post(f"/v1{path}/tell", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 422, reply.text


MAKES = {
    "gradients": {"algorithm": "dogd_sc", "arguments": {"domain": {"Ball": {"dim": 3}}, "strong_convexity": 2.0}},
    "labels": {"algorithm": "vaw", "arguments": {"domain": {"Euclidean": {"dim": 2}}, "regulariser": 1.0}},
    "model's": {"algorithm": "logistic", "arguments": {"bits": 4}},
}


def test_what_the_page_says_to_copy_works(served, watch):
    page = watch().log_in(served.key)
    for name, make in MAKES.items():
        served.post("/learners", name=name, make=make)
        page.goto(f"/#/learner/{name}")
        for verb in ("ask", "tell"):
            text = page.locator("pre", has_text=f"/{verb}'").text_content()
            _, _, header, _, body, address = shlex.split(text.replace("\\\n", ""))
            assert header == "Authorization: Bearer $BELATED_KEY"
            reply = served.http.post(address, content=body, headers={"content-type": "application/json"})
            assert reply.json().get("decision") == "monday", reply.text


def tab_to(page, role, name, backwards=False):
    """Press Tab until something has the focus, as somebody does who has no mouse."""
    wanted, passed = page.get_by_role(role, name=name, exact=True), []
    for _ in range(60):
        if wanted.evaluate_all("nodes => nodes.includes(document.activeElement)"):
            assert page.evaluate("document.activeElement.matches(':focus-visible')")
            return
        passed.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
    raise AssertionError(f"Tab does not lead to {name}, but to {passed}")


def test_everything_can_be_done_by_keyboard_alone(served, watch):
    page = watch().page
    keys = page.keyboard
    keys.type(served.key)
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Learners")).to_be_focused()
    tab_to(page, "link", "Skip to the content", backwards=True)
    keys.press("Enter")
    expect(page.locator("main")).to_be_focused()
    tab_to(page, "link", "New learner", backwards=True)
    keys.press("Enter")
    expect(page.get_by_label("Name (required)")).to_be_visible()
    tab_to(page, "textbox", "Name (required)")
    keys.type("knob")
    tab_to(page, "radio", "By ranges in my own units recommended")
    keys.press("ArrowRight")
    tab_to(page, "combobox", "Algorithm")
    keys.type("dogd_sc:")
    tab_to(page, "combobox", "Domain")
    keys.type("Ball")
    tab_to(page, "textbox", "Dim (required)")
    keys.type("x")
    tab_to(page, "textbox", "Strong convexity (required)")
    keys.type("2.0")
    keys.press("Enter")
    expect(page.get_by_label("Dim")).to_be_focused()  # what is wrong is at hand
    expect(page.locator(".problem:visible")).to_contain_text("dim")
    keys.press("Control+a")
    keys.type("2")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="knob")).to_be_focused()
    served.post("/learners/knob/ask", decision="a")
    tab_to(page, "button", "Settings")
    keys.press("Enter")
    tab_to(page, "textbox", "Timeout in seconds")
    keys.type("3600")
    keys.press("Enter")
    expect(page.locator(".settings > div", has_text="timeout")).to_contain_text("3")
    expect(page.get_by_role("button", name="Settings")).to_be_focused()  # where it was before the dialog
    keys.press("Enter")
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    tab_to(page, "link", "a")
    keys.press("Enter")
    expect(page.locator(".timeline h2")).to_have_text(["Asked"])
    tab_to(page, "link", "\N{LEFTWARDS ARROW} knob", backwards=True)
    keys.press("Enter")
    expect(page.get_by_role("heading", name="knob")).to_be_focused()
    tab_to(page, "button", "Archive")
    keys.press("Enter")
    expect(page.get_by_role("dialog", name="Archive knob?").get_by_role("button", name="Cancel")).to_be_focused()
    tab_to(page, "button", "Archive")
    keys.press("Enter")
    expect(page.locator("h1 + .state")).to_have_text("archived")


def test_the_table_is_sorted_and_stays_as_it_is_under_the_hand(served, watch):
    for name, asks in (("sort-a", 1), ("sort-b", 3), ("sort-c", 2)):
        path = served.learner(name)
        for _ in range(asks):
            served.post(f"{path}/ask")
    page = watch().log_in(served.key)
    names = page.locator(".learners tbody th a")
    shown = lambda: [each for each in names.all_inner_texts() if each.startswith("sort-")]  # noqa: E731
    page.get_by_role("button", name="Pending").click()
    assert shown() == ["sort-b", "sort-c", "sort-a"]
    expect(page.get_by_role("columnheader", name="Pending")).to_have_attribute("aria-sort", "descending")
    kept = page.get_by_role("link", name="sort-a")
    kept.focus()
    kept.evaluate("node => { node.mark = true; getSelection().selectAllChildren(node); }")
    served.post("/learners/sort-a/ask-many", asks=[{}] * 4)
    expect(page.locator("tr", has=kept).locator("td").nth(4)).to_have_text("5")
    assert shown() == ["sort-a", "sort-b", "sort-c"]  # its row has moved, and is the same row
    expect(kept).to_be_focused()
    assert kept.evaluate("node => node.mark && String(getSelection())") == "sort-a"


def test_a_service_that_is_away_is_told_and_found_again(served, watch):
    served.learner("steady")
    page = watch().log_in(served.key)
    status = page.locator("#connection")
    expect(status).to_have_text("Connected")
    served.stop()
    try:
        expect(status).to_contain_text("Not connected since")
        expect(page.get_by_role("link", name="steady")).to_be_visible()  # the last that was known
    finally:
        served.start()
    expect(status).to_have_text("Connected")


def test_a_clock_that_is_behind_is_told_on_every_view_until_it_has_caught_up(served, watch, monkeypatch):
    served.learner("timed")
    journal = served.store.journal
    last = max(journal.end(name).at for name in journal.streams())
    page = watch(color_scheme="dark", viewport={"width": 390, "height": 844}).log_in(served.key)
    banner = page.locator("#clock")
    for view in ("#/", "#/learner/timed", "#/keys"):
        page.goto(f"/{view}")
        with monkeypatch.context() as patch:
            patch.setattr(served.store, "clock", lambda: last - 14 * 60 * 10**6)
            expect(banner).to_contain_text("machine is 14 minutes behind the last event. Until it has caught up")
            expect(banner).to_contain_text("Set that clock (NTP)")
            assert lacking(page) == []
        expect(banner).to_be_hidden()


def test_values_outside_of_the_declared_range_are_told_on_the_page_of_their_learner(served, watch):
    path, ranges = "/learners/signs", {"lower": [5], "upper": [20], "values": [-20, 0], "rounds": 1000}
    served.post("/learners", name="signs", ranges=ranges)
    served.post(f"{path}/ask-many", asks=[{"decision": "monday"}, {"decision": "tuesday"}])
    served.post(f"{path}/tell", decision="monday", feedback=[-11.5])
    page = watch(color_scheme="light", viewport={"width": 390, "height": 844}).log_in(served.key)
    page.goto("/#/learner/signs")
    expect(figure(page, "Answered")).to_have_text("1")
    notice = page.locator(".learner .notice")
    expect(notice).to_be_hidden()
    served.post(f"{path}/tell", decision="tuesday", feedback=[11.5])
    expect(notice).to_contain_text("1 of 2 reports told a value outside of \N{MINUS SIGN}20 to 0")
    expect(notice).to_contain_text("the last was 11.5")
    assert lacking(page) == []


def test_a_tab_that_nobody_sees_asks_for_nothing(served, watch):
    page = watch().log_in(served.key)
    expect(page.locator("#connection")).to_have_text("Connected")
    hide = "is => { Object.defineProperty(document, 'hidden', {value: is, configurable: true}); \
        document.dispatchEvent(new Event('visibilitychange')); }"
    asked = []
    page.evaluate(hide, True)
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1500)  # longer than from one look to the next
    assert asked == []
    with page.expect_request("**/v1/learners"):
        page.evaluate(hide, False)


def test_a_key_sees_what_it_may(served, watch):
    served.learner("mine")
    served.learner("other")
    page = watch().log_in(served.made_key("reader", "read", learners=["mine"]))
    expect(page.locator(".learners tbody th")).to_have_text(["mine"])
    expect(page.get_by_role("link", name="New learner")).to_be_hidden()
    expect(page.get_by_role("link", name="Keys")).to_be_hidden()
    page.goto("/#/learner/mine")
    expect(page.get_by_role("heading", name="mine")).to_be_visible()
    expect(figure(page, "Asked")).to_have_text("0")
    expect(page.get_by_role("button", name=re.compile("Pause|Settings|Archive"))).to_have_count(0)
    page.goto("/#/learner/other")
    expect(page.locator("main > .problem")).to_contain_text("other learners")
    page.get_by_role("button", name="Log out").click()
    page = watch().log_in(served.made_key("program", "decide"))
    expect(page.locator("main")).to_contain_text(
        "This key may decide. To look at learners you need a key with the scope read."
    )
    expect(page.locator("main > .problem")).to_be_hidden()


def test_a_key_is_made_shown_once_used_and_removed(served, watch):
    page = watch().log_in(served.key)
    page.get_by_role("link", name="Keys").click()
    page.get_by_label("Label").fill("shop window")
    for scope in ("decide", "feedback"):
        page.get_by_label(f"{scope}:").uncheck()
    page.get_by_role("button", name="Make a key").click()
    expect(page.locator(".problem:visible")).to_contain_text("scopes")
    page.get_by_label("read:").check()
    page.get_by_role("button", name="Make a key").click()
    expect(page.get_by_role("button", name="Copy the key")).to_be_visible()
    secret = page.locator(".once code").inner_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the key").click()
    expect(page.locator("#said")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == secret
    other = watch()
    other.log_in(secret)
    page.get_by_role("button", name="Remove the key shop window").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Remove the key shop window")).to_have_count(0)
    expect(other.page.get_by_text("This key is not known any more.")).to_be_visible()


HOSTILE = "<img src=x onerror=alert(1)>'\"&"


def test_names_are_texts_whatever_is_in_them(served, watch):
    served.post("/learners", name=HOSTILE, make={"algorithm": "logistic", "arguments": {"bits": 4}})
    page = watch().log_in(served.key)
    page.get_by_role("link", name=HOSTILE).click()
    expect(page.get_by_role("heading", name=HOSTILE)).to_be_visible()
    served.http.post(
        f"/v1{page.url.partition('#')[2].replace('/learner/', '/learners/')}/ask",
        json={"decision": HOSTILE, "features": {"a": 1.0}},
    ).raise_for_status()
    page.get_by_role("link", name=HOSTILE).click()
    expect(page.locator("h1")).to_contain_text(HOSTILE)
    expect(page.locator(".timeline h2")).to_have_text(["Asked"])
    assert page.locator("img").count() == 0
