"""tosdr/tosdr.org (Terms of Service; Didn't Read): passages of terms of service and privacy policies of some 600
websites, and what volunteers found in them (the ToS;DR contributors, 2012 to 2021; CC BY-SA 3.0, as src/legal.html says
of this data).

Of each finding there are words without which it is not believed, and words that make one doubt that a passage lacks it.
"""

import collections
import html
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "tosdr/tosdr.org"
FOLDER = "api/1/service"
LICENCE = "CC BY-SA 3.0"
FEWEST_WORDS, MOST_WORDS = 9, 200
GOOD, BAD = "good", "bad"
MOST_SURPLUS = 5  # how many more passages asked about may be good for users than bad, or the other way about
LONGEST_NAME = 90
# Finding as volunteers name it (its first characters): a short name, words that it needs, whom it is good for,
# claims, denials.
FINDINGS = {
    "Terms may be changed any time at their discretion, without notice to the user": (
        "changes at any time",
        r"chang|modif|amend|updat|revis|alter",
        BAD,
        [
            "The company may change the terms or the policy when it likes.",
            "The rules can be altered on the company's side alone.",
            "The text reserves a right to change the document.",
        ],
        ["Nothing is said about changing the terms.", "The text does not deal with changes to the document."],
    ),
    "The service may change its terms at any time, but the user will receive notification of th": (
        "notice of changes",
        r"notif|notice|inform|e-?mail|announc|let you know|advis|alert|chang|updat|revis|modif",
        None,
        [
            "Users are told when the terms or the policy change.",
            "There will be a notice if the rules change.",
            "The company says that it lets users know of changes.",
        ],
        ["The text promises no notice of changes.", "Users are not told of changes, as far as the text says."],
    ),
    "This service is only available to users over a certain age": (
        "minimum age",
        r"\b1[0-9]\b|\b2[01]\b|thirteen|sixteen|eighteen|\bages?\b|minor|child|years old|majority",
        None,
        [
            "Users have to have a certain age.",
            "Children or young people are kept from the service, or their data is not wanted.",
            "There is an age limit.",
        ],
        ["No age limit is mentioned.", "The text does not say how old users have to be."],
    ),
    "You agree to defend, indemnify, and hold the service harmless in case of a claim related t": (
        "users indemnify the company",
        r"indemnif|harmless|indemnity",
        BAD,
        [
            "Users have to cover the company's losses from claims over their use.",
            "The user must indemnify the company.",
            "If somebody sues over what the user did, the user pays for it.",
        ],
        ["Users do not have to indemnify anyone.", "The text does not make users pay for claims against the company."],
    ),
    "The service is provided 'as is' and to be used at the users' sole risk": (
        "as is, at the user's risk",
        r"as[- ”\"]*is|own risk|sole risk|warrant",
        BAD,
        [
            "The service is offered as it is, without a guarantee.",
            "Whoever uses the service does so at their own risk.",
            "Warranties are disclaimed.",
        ],
        ["The text disclaims no warranty.", "It is not said that the service is used at one's own risk."],
    ),
    "The service may use tracking pixels, web beacons, browser fingerprinting, and/or device fi": (
        "web beacons or fingerprinting",
        r"pixel|beacon|fingerprint|\bgifs?\b|web bug",
        BAD,
        [
            "Tracking pixels or similar means are used.",
            "Users can be followed with web beacons or by their device.",
            "The text names pixels, beacons or fingerprints of devices.",
        ],
        ["Web beacons and pixels are not mentioned.", "Nothing is said about pixels or fingerprinting."],
    ),
    "The court of law governing the terms is in location X": (
        "law and courts",
        r"\blaws?\b|court|jurisdiction|venue",
        None,
        [
            "It is settled which law or which courts are responsible.",
            "The text names the place whose law or courts decide.",
            "Disputes are under the law or the courts of a named place.",
        ],
        ["It is left open which courts or which law would decide.", "No place of law or of courts is named."],
    ),
    "You can request access and deletion of personal data": (
        "seeing or deleting one's data",
        r"access|delet|eras|remov|correct|cop(?:y|ies)|rectif",
        GOOD,
        [
            "Users can ask to see, correct or delete their data.",
            "A person may request that data about them be handed out or erased.",
            "There is a way to have personal data deleted or shown.",
        ],
        [
            "The text offers no way to see or delete one's data.",
            "Nothing is said about requests to see or erase personal data.",
        ],
    ),
    "The service can delete your account without prior notice and without a reason": (
        "accounts closed at will",
        r"terminat|suspend|delet|disabl|clos|refus|discontinu|cancel|ban|block|remov",
        BAD,
        [
            "The company may close accounts as it sees fit.",
            "A user can lose the account at the company's discretion.",
            "The company reserves the right to end a user's access.",
        ],
        ["The text gives the company no right to close accounts.", "Closing accounts is not dealt with."],
    ),
    "Blocking first party cookies may limit your ability to use the service": (
        "drawbacks of blocking cookies",
        r"cookie",
        BAD,
        [
            "Without cookies, parts of the service may not work.",
            "Whoever refuses cookies may lose some functions.",
            "It is pointed out that blocking cookies has drawbacks.",
        ],
        ["The text names no drawback of refusing cookies.", "Nothing is said about what fails without cookies."],
    ),
    "This service does not sell your personal data": (
        "data is not sold",
        r"\bs(?:ell|old|ale|elling)\b|\brent|\btrad(?:e|ing)|\bleas",
        GOOD,
        [
            "The company says that it does not sell personal data.",
            "Personal data is not sold.",
            "Selling users' data is ruled out.",
        ],
        ["The text does not promise that data is not sold.", "There is no word against selling data."],
    ),
    "You have the right to leave this service at any time": (
        "leaving the service",
        r"delet|clos|cancel|terminat|deactivat|leav|stop using|remov|unsubscrib",
        GOOD,
        [
            "Users can leave the service or close their account.",
            "A user may end the relationship.",
            "The text says how, or that, one can quit.",
        ],
        ["The text does not say that users may quit.", "Leaving the service is not dealt with."],
    ),
    "You are responsible for maintaining the security of your account and for the activities on": (
        "responsible for the account",
        r"password|account|credential|login|secur",
        None,
        [
            "Users answer for the safety of their account.",
            "It is up to the user to keep the account or password safe.",
            "The user is responsible for what happens under the account.",
        ],
        [
            "The text does not make users answer for the safety of an account.",
            "Keeping passwords or accounts safe is not dealt with.",
        ],
    ),
    "The service provider makes no warranty regarding uninterrupted, timely, secure or error-fr": (
        "no promise of uninterrupted service",
        r"uninterrupt|error|timely|interrupt|availab|secure|warrant|guarante",
        BAD,
        [
            "It is not promised that the service runs without errors or breaks.",
            "The company does not guarantee that the service is always available or free of errors.",
            "Outages and faults are not ruled out.",
        ],
        [
            "Whether the service runs without errors or breaks is not dealt with.",
            "The text makes no statement on errors and outages.",
        ],
    ),
    "The service can sell or otherwise transfer your personal data as part of a bankruptcy proc": (
        "data handed over if the company is sold",
        r"merg|acqui|bankrupt|sale|sold|insolv|reorgani|sell|divest|transfer|purchas|successor",
        BAD,
        [
            "If the company is sold, merged or insolvent, users' data may go to somebody else.",
            "Data can be handed over as part of a business deal.",
            "A buyer of the company may get the users' data.",
        ],
        [
            "What happens to data if the company is sold is not dealt with.",
            "The text does not say that a buyer of the company gets the data.",
        ],
    ),
    "This service ignores the Do Not Track (DNT) header and tracks users anyway even if they se": (
        "Do Not Track is ignored",
        r"do[- ]not[- ]track|\bDNT\b",
        BAD,
        [
            "Do-not-track signals of browsers are not followed.",
            "The site does not respond to a browser's wish not to be tracked.",
            "Do Not Track changes nothing here.",
        ],
        ["Do-not-track signals are not mentioned.", "The text is silent on the Do Not Track setting."],
    ),
    "You waive your right to a class action.": (
        "no class actions",
        r"class|representative (?:action|proceeding)|collective",
        BAD,
        [
            "Users give up the right to join a class action.",
            "Claims may only be brought individually.",
            "Class actions are excluded.",
        ],
        ["Class actions are not excluded.", "The text does not keep users from joining others in a lawsuit."],
    ),
    "This service forces users into binding arbitration in the case of disputes": (
        "arbitration",
        r"arbitrat",
        BAD,
        [
            "Disputes go to arbitration.",
            "Users may have to settle a dispute before an arbitrator.",
            "The text provides for arbitration.",
        ],
        ["Arbitration is not mentioned.", "The text sends no dispute to an arbitrator."],
    ),
    "You can opt out of promotional communications": (
        "opting out of advertising mail",
        r"opt|unsubscrib|choose not|stop receiving|preferences|no longer",
        GOOD,
        [
            "Users can opt out of promotional messages.",
            "There is a way to stop advertising mail or the like.",
            "One may unsubscribe.",
        ],
        ["The text names no way to opt out of promotions.", "Stopping promotional mail is not dealt with."],
    ),
    "Failure to enforce any provision of the Terms of Service does not constitute a waiver of s": (
        "no waiver by not enforcing",
        r"waive",
        None,
        [
            "That a right is not enforced does not mean that it is given up.",
            "Not acting on a breach is not a waiver.",
            "The company keeps its rights even if it does not use them at once.",
        ],
        [
            "What it means if a rule is not enforced is left open.",
            "The text does not deal with rights that are not enforced.",
        ],
    ),
    "Invalidity of any portion of the Terms of Service does not entail invalidity of its remain": (
        "the rest stays valid",
        r"invalid|unenforce|sever|void|illegal|unlawful",
        None,
        [
            "If one part of the terms is invalid, the rest stays in force.",
            "A void provision does not bring down the others.",
            "The terms are severable.",
        ],
        [
            "What happens to the rest if a part is invalid is not dealt with.",
            "The text holds no rule for provisions that turn out to be void.",
        ],
    ),
    "You maintain ownership of your data": (
        "users keep their content",
        r"\bown|retain|belong|property|your (?:content|data|rights)",
        GOOD,
        [
            "Users keep the rights in what they post or store.",
            "What users upload remains theirs.",
            "The company claims no ownership of users' content.",
        ],
        ["Who owns users' content is not said.", "The text does not promise that users keep their content."],
    ),
    "This service assumes no liability for any losses or damages resulting from any matter rela": (
        "no liability",
        r"liab|damages|responsib",
        BAD,
        [
            "The company does not want to answer for losses or damages.",
            "Liability is excluded or limited.",
            "Whoever suffers a loss cannot count on being paid by the company.",
        ],
        ["Liability is not limited here.", "The text does not deal with who pays for losses."],
    ),
    "They may stop providing the service at any time": (
        "the service may be shut down",
        r"discontinu|shut|ceas|stop (?:provid|offer)",
        BAD,
        [
            "The company may stop offering the service.",
            "The service can be shut down or discontinued.",
            "It is not promised that the service goes on.",
        ],
        [
            "Ending the service as a whole is not dealt with.",
            "The text does not say that the service may be shut down.",
        ],
    ),
    "If you offer suggestions to the service, they become the owner of the ideas that you give ": (
        "suggestions belong to the company",
        r"suggest|feedback|idea|comment|submission|propos",
        BAD,
        [
            "Ideas that users send in can be used by the company as its own.",
            "Feedback belongs to the company, or it may use it freely.",
            "Whoever makes a suggestion gives the rights in it away.",
        ],
        ["What becomes of users' suggestions is not dealt with.", "The text claims no rights in feedback."],
    ),
    "You waive your moral rights": (
        "moral rights given up",
        r"moral",
        BAD,
        [
            "Users give up moral rights in what they post.",
            "Moral rights are waived.",
            "The author's moral rights count for nothing here.",
        ],
        ["Moral rights are not mentioned.", "The text does not make users give up moral rights."],
    ),
    "Users agree not to submit libelous, harassing or threatening content": (
        "no harassment or libel",
        r"harass|threat|libel|defam|abus|hate|bully|offensive",
        None,
        [
            "Abusive, harassing or defamatory content is forbidden.",
            "Users must not threaten or defame others.",
            "There is a rule against harassment or the like.",
        ],
        ["There is no rule on harassment or insults here.", "The text does not deal with abusive content."],
    ),
    "Prohibits the posting of pornographic content": (
        "no pornography",
        r"porn|sexual|nud|obscen|adult|indecent",
        None,
        [
            "Pornographic or obscene content is not allowed.",
            "Sexual content of some sort is forbidden.",
            "Users must not post obscene material.",
        ],
        ["Sexual content is not mentioned.", "The text has no rule on obscene material."],
    ),
    "This service prohibits users sending chain letters, junk mail, spam or any unsolicited mes": (
        "no spam",
        r"spam|unsolicited|junk|chain|bulk|commercial",
        None,
        [
            "Spam is forbidden.",
            "Users must not send unsolicited or mass messages.",
            "There is a rule against junk mail.",
        ],
        ["Spam is not mentioned.", "The text has no rule on unsolicited messages."],
    ),
    "Spidering or crawling is not allowed": (
        "no crawling",
        r"crawl|spider|scrap|robot|\bbots?\b|automat|data min|harvest",
        None,
        [
            "Collecting pages by program is forbidden.",
            "Crawlers, robots or scrapers are not welcome.",
            "Automated access is restricted.",
        ],
        ["Crawling and scraping are not mentioned.", "The text has no rule on robots or scrapers."],
    ),
    "The service has a no refund policy": (
        "no refunds",
        r"refund|return|reimburs",
        BAD,
        ["Money is not given back as a rule.", "Payments are not refundable.", "There are no refunds, or hardly any."],
        ["Refunds are not mentioned.", "The text does not say whether money is given back."],
    ),
    "You authorise the service to charge a credit card supplied on re-occurring basis": (
        "repeated charges",
        r"charg|bill|renew|recurr|payment",
        BAD,
        [
            "The user's card is charged again and again unless it is stopped.",
            "A subscription renews and is billed by itself.",
            "The company may charge on a recurring basis.",
        ],
        ["Repeated charges are not mentioned.", "The text does not let the company bill again and again."],
    ),
    "This service may collect, use, and share location data": (
        "location",
        r"locat|\bGPS\b|geo",
        BAD,
        [
            "Data on where users are may be collected.",
            "The service may find out a user's location.",
            "Location data is used.",
        ],
        ["Location data is not mentioned.", "Nothing is said about finding out where users are."],
    ),
    "Users have a reduced time period to take legal action against the service": (
        "a deadline for claims",
        r"year|month|days",
        BAD,
        [
            "Claims have to be brought within a certain time.",
            "Whoever waits too long can no longer sue.",
            "There is a deadline for legal action.",
        ],
        ["No deadline for claims is set.", "The text does not say until when one could sue."],
    ),
    "This service uses third-party cookies for statistics": (
        "statistics by third parties",
        r"analytic|statistic|third|google|measure",
        None,
        [
            "Visits are measured with tools of other companies.",
            "Analytics of a third party are used.",
            "Somebody else's cookies or tools help to count and study the use of the site.",
        ],
        ["Tools for statistics are not mentioned.", "Nothing is said about analytics by other companies."],
    ),
}
# What else a passage needs for a finding to be believed.
NEEDS = {
    "notice of changes": r"notif|notice|inform|e-?mail|announc|let \w+(?: \w+)? know|advis|alert|communicat|post",
    "drawbacks of blocking cookies": r"disabl|block|refus|reject|declin|turn(?:ed|ing)? off|without|accept|delet|remov"
    r"|enabl|require|necessary|not be able|unable|opt out",
    "opting out of advertising mail": r"\bopt|unsubscrib|choose|do not want|don.t want|stop|no longer|preferences",
}
# Findings of which one hardly comes without a word on the other.
ALIKE = [
    {"changes at any time", "notice of changes"},
    {"as is, at the user's risk", "no promise of uninterrupted service", "no liability"},
    {"no class actions", "arbitration", "law and courts", "a deadline for claims"},
    {"accounts closed at will", "the service may be shut down", "leaving the service"},
    {"users keep their content", "suggestions belong to the company", "moral rights given up"},
    {"no harassment or libel", "no pornography", "no spam"},
    {"web beacons or fingerprinting", "statistics by third parties", "Do Not Track is ignored"},
    {"drawbacks of blocking cookies", "statistics by third parties", "web beacons or fingerprinting"},
    {"data is not sold", "data handed over if the company is sold"},
    {"seeing or deleting one's data", "leaving the service", "opting out of advertising mail"},
    {"no refunds", "repeated charges"},
]
KINDS = {name: (words, good, affirmed, denied) for name, words, good, affirmed, denied in FINDINGS.values()}
SAID = one_of_kinds.written({name: (affirmed, denied) for name, (_, _, affirmed, denied) in KINDS.items()})
NAMES = [{name: name for name in KINDS}, {name: rows.begun(name) for name in KINDS}]
DESCRIPTIONS = {name: affirmed[0] for name, (_, _, affirmed, _) in KINDS.items()}
ASKS = ["What is the passage about?", "Topic of the passage", "What does the user learn here?", "Tag this part."]
SUMMARY = ["Which summary fits?", "In plain words, what does this say?", "Put it in plain language.", "The gist"]
SIDES = [
    ("For the user, this is", ("good news", "bad news")),
    ("Whose interest does the passage serve?", ("the user's", "the company's")),
    ("Rate this part of the terms from the user's side.", ("in favour of the user", "against the user")),
]
SIDE = [
    ("The passage is in the interest of users.", True),
    ("Users can be glad of this rule.", True),
    ("This protects the user.", True),
    ("The passage is to the disadvantage of users.", False),
    ("A user might object to this rule.", False),
    ("This protects the company rather than the user.", False),
]


def cleaned(text):
    """A quote without marks of a web page; its lines."""
    text = re.sub(r"<(?:/?(?:p|li|ul|ol|div|h\d|tr|table)|br)\b[^>]*>", "\n", html.unescape(text))
    text = re.sub(r"<[^>]*>?", "", text).replace("\xa0", " ")
    return "\n".join(line for line in map(rows.plain, text.splitlines()) if re.search(r"\w", line))


def passages(show):
    """(text, finding) of the points that are to be trained on."""
    seen = set()
    for file in show(FOLDER).splitlines()[2:]:
        if not file.endswith(".json"):
            continue
        for point in (json.loads(show(f"{FOLDER}/{file}")).get("pointsData") or {}).values():
            case = FINDINGS.get((point.get("tosdr", {}).get("case") or "").strip()[:LONGEST_NAME])
            text = cleaned(point.get("quoteText") or "")
            if case is None or text in seen or not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
                continue
            seen.add(text)
            english = len(re.findall(r"\b(?:the|you|we|your|to|of|and|or)\b", text, re.I)) >= 3
            shown = re.search(case[1], text, re.I) and re.search(NEEDS.get(case[0], ""), text, re.I)
            if english and shown and re.match(r"[A-Z0-9(“\"•]", text):
                yield text, case[0]


def absent(text, name):
    """Findings that the passage surely lacks."""
    alike = set().union(*(group for group in ALIKE if name in group))
    return [one for one in KINDS if one != name and one not in alike and not re.search(KINDS[one][0], text, re.I)]


def read(show, rnd):
    surplus, sides = collections.Counter(), 0
    for count, (text, name) in enumerate(list(passages(show))):
        lacks = absent(text, name)
        if len(lacks) < 4:
            continue
        truths = {name: True} | dict.fromkeys(rnd.sample(lacks, 4), False)
        made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd))
        offered = [name, *lacks]
        drawn = rnd.random()
        if drawn < 0.35:
            names = [{one: kind[one] for one in offered} for kind in NAMES]
            question, right = one_of_kinds.choice(name, names, ASKS, rnd, (), 7)
            if rnd.random() < 0.25:
                said = {kind[one]: DESCRIPTIONS[one] for kind in names for one in offered}
                question["criteria"] = {one: said[one] for one in question["criteria"]}
            made.append((question, right))
        elif drawn < 0.6:
            told = {one: rnd.choice(KINDS[one][2]) for one in rnd.sample(lacks, min(len(lacks), rnd.randint(2, 4)))}
            told[name] = rnd.choice(KINDS[name][2])
            shown = rnd.sample(list(told.values()), len(told))
            made.append(({"type": "choice", "instructions": rnd.choice(SUMMARY), "criteria": shown}, told[name]))
        good = KINDS[name][1]
        if good and abs(sides + (1 if good == GOOD else -1)) <= MOST_SURPLUS and rnd.random() < 0.8:
            sides += 1 if good == GOOD else -1
            ask, wordings = rnd.choice([(rows.claim, SIDE), (rows.either, SIDES)])
            made.append(ask(wordings, good == GOOD, rnd))
        rnd.shuffle(made)
        state = {rnd.choice(["passage", "terms", "policy", "text"]): text} if rnd.random() < 0.25 else text
        yield rows.row(f"terms-{count:05d}", "terms of service", LICENCE, state, made)
