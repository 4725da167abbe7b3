"""akrherz/pyIEM (Herzmann and others; MIT): several hundred warnings, watches and advisories as the National Weather
Service of the United States sent them (public domain). What they carry for machines is taken out, and gives the truths:
what is feared, whether it is new, goes on or is over, from when to when, and for where.
"""

import collections
import datetime
import re

from data.shared import evened, one_of_kinds, rows

REPOSITORY = "akrherz/pyIEM"
LICENCE = "public domain (National Weather Service); collection MIT"
FOLDER = "data/product_examples"
ELSE = {"NCEI", "BUFKIT", "METAR", "IGRA", "MOS", "SHEF"}  # folders of measurements
TIMES, MOST_WORDS, FEWEST_WORDS = 6, 230, 25
CODE = re.compile(
    r"/[OTEX]\.(NEW|CON|EXT|EXA|EXB|CAN|EXP)\.[A-Z]{4}\.([A-Z]{2})\.([WAY])\.\d{4}\.(\d{6}T\d{4})Z-(\d{6}T\d{4})Z/"
)
ISSUED = re.compile(r"(?im)^((?:[1-9]|1[0-2])[0-5]\d) (AM|PM) ([A-Z]{3,4}) \w{3} (\w{3}) +(\d{1,2}) (\d{4})")
HOURS = {
    "EST": 5,
    "EDT": 4,
    "CST": 6,
    "CDT": 5,
    "MST": 7,
    "MDT": 6,
    "PST": 8,
    "PDT": 7,
    "AKST": 9,
    "AKDT": 8,
    "HST": 10,
}
IN_EFFECT = re.compile(r"(?i)in effect (?:from ([^.]+?) to ([^.]+?)|until ([^.]+?))\.\.\.")
HAZARDS = {  # code of what is feared -> (name, the same in other words)
    "FL": ("river flood", "a river or stream leaves its banks"),
    "FA": ("flood", "water stands or rises where it is dry otherwise"),
    "FF": ("flash flood", "water rises within minutes after heavy rain"),
    "WW": ("winter weather", "snow or ice, enough to make travel difficult"),
    "WS": ("winter storm", "heavy snow, sleet or ice"),
    "SC": ("small craft", "wind and waves that are dangerous for small boats"),
    "GL": ("gale", "winds of 34 to 47 knots at sea"),
    "TR": ("tropical storm", "a storm of the tropics with strong wind and rain"),
    "ZR": ("freezing rain", "rain that turns into a glaze of ice"),
    "IS": ("ice storm", "so much ice that lines and branches break"),
    "WI": ("wind", "strong wind on land"),
    "HW": ("high wind", "wind on land that does damage"),
    "WC": ("wind chill", "cold and wind that freeze the skin"),
    "TO": ("tornado", "a whirlwind that touches the ground"),
    "SV": ("severe thunderstorm", "a thunderstorm with hail or damaging gusts"),
    "CF": ("coastal flood", "high water at the sea"),
    "FG": ("dense fog", "sight of a quarter mile or less"),
    "FR": ("frost", "cold that harms plants"),
    "FZ": ("freeze", "temperatures below the freezing point in the growing season"),
    "FW": ("fire weather", "dry air and wind in which fires spread"),
    "HT": ("heat", "heat that is hard on the body"),
}
NEAR = [  # not offered beside each other
    {"FL", "FA", "FF", "CF", "TR"},
    {"WW", "WS", "ZR", "IS", "WC", "WI", "HW", "FR", "FZ"},
    {"SC", "GL", "WI", "HW", "TR"},
    {"TO", "SV", "TR", "WI", "HW", "FF"},
    {"FW", "WI", "HW", "HT"},
]
WHAT = ["What is warned of?", "Kind of hazard", "Which hazard?", "What is the alert about?", "File the alert."]
ABOUT = [
    ("The alert is about this: {said}", True),
    ("What is feared: {said}", True),
    ("Is it about {said}?", True),
    ("The reason for the alert is {said}.", True),
    ("The alert is about something else than {said}.", False),
    ("This is not an alert for {said}.", False),
    ("It is another danger than {said}.", False),
]
LEVELS = one_of_kinds.written(
    {
        "W": (
            ["This is a warning.", "The alert is a warning, the highest level.", "Is it a warning?"],
            [
                "This is less than a warning.",
                "It is a watch or an advisory, no warning.",
                "Is it something else than a warning?",
            ],
        ),
        "A": (
            ["This is a watch.", "The hazard is possible, but not yet certain: a watch.", "Is it a watch?"],
            ["This is not a watch.", "It is a warning or an advisory, no watch.", "Is it something else than a watch?"],
        ),
        "Y": (
            ["This is an advisory.", "The alert is of the lower level, an advisory.", "Is it an advisory?"],
            [
                "This is not an advisory.",
                "It is a watch or a warning, no advisory.",
                "Is it something else than an advisory?",
            ],
        ),
    }
)
LEVEL = ["Which level?", "Type of alert", "Watch, warning or advisory?", "How is the alert graded?"]
NAMED = {"W": "warning", "A": "watch", "Y": "advisory"}
STATES = one_of_kinds.written(
    {
        "new": (
            [
                "The alert is issued for the first time.",
                "This is a new alert.",
                "Is the alert a new one?",
                "Nothing was in effect before this.",
            ],
            [
                "The alert is not new.",
                "This follows an earlier message on the same hazard.",
                "Is this an update of an alert?",
            ],
        ),
        "on": (
            [
                "An earlier alert goes on as it was.",
                "The alert stays in effect without change.",
                "Does an alert continue?",
            ],
            [
                "The alert does not just continue.",
                "This is not a mere repetition of what was in effect.",
                "Has something changed in the status?",
            ],
        ),
        "longer": (
            [
                "The time or the area has been changed.",
                "The alert now lasts until another time or covers more.",
                "Has it been extended?",
            ],
            ["Time and area are not changed by this.", "There is no extension.", "The alert has not been extended."],
        ),
        "over": (
            [
                "The alert has been lifted.",
                "The danger is over, as far as this alert goes.",
                "Has the alert been cancelled or has it expired?",
                "One need no longer act on this alert.",
            ],
            [
                "The alert has not been lifted.",
                "The alert applies, now or soon.",
                "Is the alert still to be taken seriously?",
            ],
        ),
    }
)
STATE_OF = {"NEW": "new", "CON": "on", "EXT": "longer", "EXA": "longer", "EXB": "longer", "CAN": "over", "EXP": "over"}
STATES_OF = ["new", "on", "longer", "over"]
CUES = {  # by which a reader can tell
    "new": r"issued|in effect",
    "on": r"remain|continue|still|now in effect",
    "longer": r"extended|expanded",
    "over": r"cancel|(?:has|have) expired|no longer in effect|ended",
}
STATUS = ["What is the status of the alert?", "What has happened to the alert?", "Status", "New, going on, or over?"]
STATUSES = [
    {"new": "new", "on": "continues", "longer": "extended", "over": "cancelled or expired"},
    {"new": "issued", "on": "remains in effect", "longer": "changed in time or area", "over": "ended"},
]
IN_FORCE = [
    ("The alert is in effect on {time}.", True),
    ("On {time}, the alert applies.", True),
    ("Does it apply on {time}?", True),
    ("{time} is within the time of the alert.", True),
    ("The alert is not in effect on {time}.", False),
    ("On {time}, the alert does not apply.", False),
    ("{time} is outside the time of the alert.", False),
]
COVERS = [
    ("The alert covers {place}.", True),
    ("{place} is in the area of the alert.", True),
    ("Is {place} affected?", True),
    ("{place} is one of the places named.", True),
    ("{place} is not in the area.", False),
    ("The alert does not name {place}.", False),
    ("{place} is left out.", False),
]
PLACES = ["Which of these places are covered?", "Select the places that the alert names.", "Who is affected?"]
ENDS = ["Until when?", "When does it end?", "The end of the alert", "Until when is it in effect?"]
STARTS = ["From when on?", "When does it begin?", "The start of the alert", "From when is it in effect?"]
HIGHER = [
    ("The river is above flood stage.", True),
    ("The water stood above flood stage at the last reading.", True),
    ("Has flood stage been passed?", True),
    ("The last stage is higher than the flood stage.", True),
    ("The river is still below flood stage.", False),
    ("The water had not reached flood stage at the last reading.", False),
    ("The last stage is lower than the flood stage.", False),
    ("Was there still room to flood stage?", False),
]
STAGES = ["What was the last stage?", "How high was the river?", "The stage that was read"]
FLOOD_STAGES = ["What is the flood stage?", "At which stage does it flood?", "Flood stage"]


def moment(said):
    return datetime.datetime.strptime(said, "%y%m%dT%H%M") if said[:6] != "000000" else None


def issued(body):
    """(when in UTC, hours behind UTC) of the line that says when it was sent; None where there is none."""
    found = ISSUED.search(body)
    if found is None or found[3].upper() not in HOURS:
        return None
    clock, half, zone, month, day, year = found.groups()
    local = datetime.datetime.strptime(f"{clock.zfill(4)} {half} {month} {day} {year}", "%I%M %p %b %d %Y")
    behind = HOURS[zone.upper()]
    return local + datetime.timedelta(hours=behind), behind


def listed(body):
    """Names of counties and cities that stand in lists above the time of the message."""
    head = ISSUED.split(body)[0]
    cities = re.search(r"(?is)including the (?:cities|city) of\.\.\.(.*)", head)
    counties = rows.plain(re.split(r"(?i)including the", head)[0])
    names = [one.strip() for one in re.split(r"-(?=\s*[A-Za-z])", counties.rstrip("- "))]
    names += [one.strip() for one in re.split(r"\.\.\.|,", rows.plain(cities[1]))] if cities else []
    return [one.title() for one in names if re.fullmatch(r"[A-Za-z][A-Za-z .']{3,24}", one) and len(one.split()) < 4]


def told(body):
    """What is shown: lines of one paragraph together, without places on a map and without the end where it is long."""
    body = re.sub(r"(?ms)^(?:LAT\.\.\.LON|TIME\.\.\.MOT).*?(?=\n\n|\Z)", "", body)
    parts = [rows.plain(one) for one in re.split(r"\n\s*\n|\n(?=\s*\*)", body.replace("&&", "\n\n"))]
    kept, count = [], 0
    for part in parts:
        count += len(part.split())
        if count > MOST_WORDS or (count > MOST_WORDS // 2 and re.match(r"(?i)precautionary", part)):
            break
        kept += [part] if part and not re.fullmatch(r"[A-Z0-9 ]{1,12}|\$\$", part) else []
    return "\n".join(kept)


def alerts(show):
    """(text, body, facts) of each part of a message that carries one code."""
    seen = set()
    for folder in ["", *(one[:-1] for one in show(FOLDER).split("\n") if one.endswith("/"))]:
        if folder in ELSE:
            continue
        for name in show(f"{FOLDER}/{folder}".rstrip("/")).split("\n")[2:]:
            if not name.endswith(".txt"):
                continue
            for segment in show(f"{FOLDER}/{folder}/{name}".replace("//", "/")).replace("\r", "").split("$$"):
                codes = CODE.findall(segment)
                if len(codes) != 1 or segment.count("Z/\n") + segment.count("Z/ \n") > 2 or codes[0][1] not in HAZARDS:
                    continue
                body = re.sub(r"(?m)^/.*/\s*$\n?", "", CODE.split(segment)[-1].split("\n", 1)[-1])
                text, when = told(body), issued(body)
                if text not in seen and when and len(text.split()) >= FEWEST_WORDS:
                    seen.add(text)
                    yield text, body, (*codes[0][:3], moment(codes[0][3]), moment(codes[0][4]), *when)


def spoken(when, behind):
    local = when - datetime.timedelta(hours=behind)
    hour = local.strftime("%I").lstrip("0")
    return f"{local.strftime('%A, %B')} {local.day} at {hour} {local.strftime('%p')}"


def in_force(text, facts, surplus, rnd):
    """Whether the alert holds at a time well within or well outside its own."""
    state, _, _, start, end, sent, behind = facts
    if (
        STATE_OF[state] == "over"
        or end is None
        or end <= sent
        or not re.search(r"(?i)\buntil\b|\bthrough\b|\bfrom\b", text)
    ):
        return None
    first, hour = max(start or sent, sent), datetime.timedelta(hours=1)
    span = (end - first) / hour
    if span < 3:
        return None
    within = rnd.random() < 0.5
    if within:
        when = first + hour * rnd.uniform(min(2, span * 0.3), span - min(3, span * 0.4))
    elif start and (start - sent) / hour > 8 and rnd.random() < 0.5:
        when = start - hour * rnd.uniform(5, min(24, (start - sent) / hour - 1))
    else:
        when = end + hour * rnd.uniform(6, 40)
    when = when.replace(minute=0)
    if (when - datetime.timedelta(hours=behind)).hour % 12 == 0:
        return None
    if not within and end - datetime.timedelta(hours=1) <= when <= end + datetime.timedelta(hours=5):
        return None
    return evened.claim(IN_FORCE, within, surplus, rnd, time=spoken(when, behind))


def places(body, text, every, surplus, rnd):
    names = [one for one in listed(body) if one.lower() in text.lower()]
    others = [one for one in rnd.sample(every, 30) if one.lower() not in text.lower()]
    if len(names) < 2:
        return None
    if rnd.random() < 0.25:
        options = rnd.sample(names, rnd.randint(1, 2)) + others[: rnd.randint(1, 3)]
        right = [one for one in options if one in names]
        options = rnd.sample(options, len(options))
        asked = {"type": "select", "instructions": rnd.choice(PLACES), "options": options}
        return asked, [one for one in options if one in right]
    holds = rnd.random() < 0.5
    return evened.claim(COVERS, holds, surplus, rnd, place=rnd.choice(names) if holds else others[0])


def hours(text, rnd):
    """When it begins and ends, as the headline has it."""
    found = IN_EFFECT.findall(text)
    if len(found) != 1:
        return
    start, end, until = found[0]
    if (end or until) in text and len((end or until).split()) < 9 and rnd.random() < 0.6:
        yield {"type": "extract", "instructions": rnd.choice(ENDS)}, end or until
    if start and len(start.split()) < 8 and rnd.random() < 0.6:
        yield {"type": "extract", "instructions": rnd.choice(STARTS)}, start


def river(text, surplus, rnd):
    stage = re.findall(r"(?i)stage was ((\d+\.\d) feet)", text)
    flood = re.findall(r"(?i)flood stage is ((\d+\.\d) feet)", text)
    if len(stage) != 1 or len(flood) != 1 or stage[0][1] == flood[0][1]:
        return
    if rnd.random() < 0.6:
        yield evened.claim(HIGHER, float(stage[0][1]) > float(flood[0][1]), surplus, rnd)
    if rnd.random() < 0.4:
        asks, said = rnd.choice([(STAGES, stage[0][0]), (FLOOD_STAGES, flood[0][0])])
        yield {"type": "extract", "instructions": rnd.choice(asks)}, said


def hazard(kind, surplus, rnd):
    alike = set().union(*(group for group in NEAR if kind in group)) | {kind}
    far = [one for one in HAZARDS if one not in alike]
    if rnd.random() < 0.5:
        holds = rnd.random() < 0.5
        said = HAZARDS[kind if holds else rnd.choice(far)]
        return evened.claim(ABOUT, holds, surplus, rnd, said=rnd.choice(said))
    shown = [kind, *rnd.sample(far, min(len(far), rnd.randint(2, 5)))]
    rnd.shuffle(shown)
    names = dict(HAZARDS[one] for one in shown)
    drawn = rnd.random()
    criteria = names if drawn < 0.4 else list(names) if drawn < 0.7 else list(names.values())
    right = HAZARDS[kind][drawn >= 0.7]
    return {"type": "choice", "instructions": rnd.choice(WHAT), "criteria": criteria}, right


def asks(text, body, facts, every, surplus, rnd):
    state, kind, level = facts[:3]
    status = STATE_OF[state]
    told = re.search(CUES[status], text, re.I) and not (status == "new" and re.search(CUES["on"], text, re.I))
    known = STATES_OF if told else {"longer": ("new", "over"), "over": ()}.get(status, ("over",))
    yield from one_of_kinds.claims({one: one == status for one in known}, STATES, 1, surplus, rnd)
    drawn = rnd.random()
    if drawn < 0.3 and told:
        yield one_of_kinds.choice(status, STATUSES, STATUS, rnd, most=4)
    elif drawn < 0.55:
        yield hazard(kind, surplus, rnd)
    if NAMED[level] in text.lower() and rnd.random() < 0.3:
        yield from one_of_kinds.claims({one: one == level for one in NAMED}, LEVELS, 1, surplus, rnd)
    elif NAMED[level] in text.lower() and rnd.random() < 0.15:
        options = rnd.sample(list(NAMED.values()), 3)
        yield {"type": "choice", "instructions": rnd.choice(LEVEL), "criteria": options}, NAMED[level]
    yield in_force(text, facts, surplus, rnd)
    yield places(body, text, every, surplus, rnd) if rnd.random() < 0.5 else None
    yield from hours(text, rnd)
    yield from river(text, surplus, rnd)


def read(show, rnd):
    every, surplus, count = list(alerts(show)), collections.Counter(), 0
    names = sorted({name for _, body, _ in every for name in listed(body)})
    for _ in range(TIMES):
        for text, body, facts in rnd.sample(every, len(every)):
            made = [one for one in asks(text, body, facts, names, surplus, rnd) if one]
            if made:
                state = {"alert": text} if rnd.random() < 0.15 else text
                yield rows.row(
                    f"weather-{count:05d}", "weather alerts", LICENCE, state, rnd.sample(made, min(4, len(made)))
                )
                count += 1
