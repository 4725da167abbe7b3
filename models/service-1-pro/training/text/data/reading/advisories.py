"""golang/vulndb (the Go team and many reporters; entries CC BY 4.0) and rustsec/advisory-db (Rust Secure Code Working
Group; CC0): warnings of flaws in packages. Which versions have the flaw, which no more, what sort of flaw it is.

Versions asked about are drawn near the limits, and whether they are affected is worked out of the ranges.
"""

import collections
import json
import re
import tomllib

from data.shared import evened, rows

REPOSITORY = "golang/vulndb"
MORE = {"crates": "rustsec/advisory-db"}
LICENCES = {"advisories": "CC BY 4.0", "crates": "CC0"}
FOLDER = "data/osv"
MOST, MOST_WORDS = 5500, 130
PLAIN = re.compile(r"\d+\.\d+\.\d+")
AFFECTED = [
    ("Version {v} is affected.", True),
    ("{v} is vulnerable.", True),
    ("Is {v} affected?", True),
    ("Whoever runs {v} has to update.", True),
    ("The flaw is in {v}.", True),
    ("The warning applies to version {v}.", True),
    ("Version {v} is not affected.", False),
    ("{v} is safe as far as this goes.", False),
    ("Is {v} free of this flaw?", False),
    ("Somebody on {v} need not do anything.", False),
    ("The warning does not concern version {v}.", False),
]
OURS = [
    ("The version in use is affected.", True),
    ("An update is needed.", True),
    ("Is the deployed version vulnerable?", True),
    ("The advisory concerns us.", True),
    ("The project runs a version with the flaw.", True),
    ("The version in use is not affected.", False),
    ("No update is needed for this.", False),
    ("Is the deployed version safe from this?", False),
    ("The advisory can be ignored here.", False),
    ("What the project runs does not have the flaw.", False),
]
UPDATES = re.compile(r"update|need not do|ignored")  # what is not said where there is nothing to update to
MENDED = [
    ("There is a version without the flaw to update to.", True),
    ("A fix has been released.", True),
    ("Is a fixed version named?", True),
    ("Updating solves the problem.", True),
    ("The advisory names no fixed version.", False),
    ("No fix has been released yet.", False),
    ("Updating does not help so far.", False),
    ("Is a fix still missing?", False),
]
UNKEPT = [
    ("The package is no longer looked after.", True),
    ("Nobody maintains the package any more.", True),
    ("Is this about an abandoned package?", True),
    ("The advice is to move to another package because work on this one has stopped.", True),
    ("The advisory is about a flaw in the code rather than about upkeep.", False),
    ("This has nothing to do with the upkeep of the package.", False),
    ("Is it about something else than an abandoned package?", False),
    ("The warning is about what the code does.", False),
]
FIXED = ["First version with the fix", "To which version should one update?", "The lowest version that is safe again"]
FIXED += ["Which version fixes it?", "Since which version is it fixed?"]
PACKAGE = ["Which package is affected?", "The name of the package", "What has the flaw?", "Package"]
WHICH = ["Which of these versions are affected?", "Select the vulnerable versions.", "Who has to update?"]
CHOSEN = ["Which of these versions is affected?", "Which version has the flaw?", "The vulnerable one of these versions"]
SORT = ["What sort of flaw is it?", "Classify the vulnerability.", "What can go wrong?", "Kind of vulnerability"]
FIELDS = [("advisory", "in_use"), ("warning", "deployed"), ("advisory", "installed"), ("vulnerability", "lockfile")]
KINDS = {  # what a summary calls it, a name, the same in other words
    "path": (
        r"(?:path|directory) traversal|zip ?slip",
        "path traversal",
        "files outside the intended folder are reached",
    ),
    "script": (r"cross.site scripting|\bXSS\b", "cross-site scripting", "foreign script runs in a visitor's browser"),
    "sql": (r"SQL injection", "SQL injection", "input becomes part of a database query"),
    "stop": (
        r"denial.of.service|\bDoS\b|panic|infinite loop|(?:stack|memory|resource) exhaustion|out.of.memory",
        "denial of service",
        "the program can be made to crash, hang or run out of resources",
    ),
    "redirect": (r"open redirect", "open redirect", "a link of the site leads somewhere else"),
    "ssrf": (
        r"server.side request forgery|\bSSRF\b",
        "server-side request forgery",
        "the server is made to call hosts",
    ),
    "csrf": (r"cross.site request forgery|\bCSRF\b", "cross-site request forgery", "a visitor's browser acts unasked"),
    "command": (
        r"(?:command|code) (?:injection|execution)|\bRCE\b",
        "code execution",
        "an attacker's commands are run",
    ),
}
SHOWN = {  # what a text has to say to be sure of its category, and none of the others
    "stop": KINDS["stop"][0],
    "memory": r"use.after.free|double.(?:free|drop)|corrupt|buffer overflow|out.of.bounds write|heap overflow",
    "crypto": r"signature|encrypt|decrypt|cryptograph|\bkeys?\b|nonce|cipher|certificate",
    "malicious": r"malicious (?:code|dependency|crate)|malware|exfiltrat",
    "exposure": r"uninitiali[sz]ed|out.of.bounds.read|over-?read|expos\w+ (?:of )?memory",
}
LEFT = re.compile(r"maintain|deprecat|rebrand|abandon|archived|unresponsive|successor", re.I)
OF_CATEGORY = {
    "denial-of-service": "stop",
    "memory-corruption": "memory",
    "crypto-failure": "crypto",
    "malicious": "malicious",
    "memory-exposure": "exposure",
}
MORE_KINDS = {
    "stop": KINDS["stop"][1:],
    "memory": ("memory corruption", "memory is overwritten, freed twice or used after it was freed"),
    "crypto": ("cryptographic weakness", "keys, signatures or encryption are not as strong as they should be"),
    "malicious": ("malicious package", "the package was published to do harm"),
    "exposure": ("memory exposure", "memory that was never set or is out of bounds can be read"),
    "unkept": ("unmaintained package", "nobody looks after the package any more"),
}


def number(said):
    return tuple(map(int, said.split(".")))


def written(version):
    return ".".join(map(str, version))


def between(version, ranges):
    """Whether a version is in one of [(first, first without the flaw or None)]."""
    return any(first <= version and (fixed is None or version < fixed) for first, fixed in ranges)


def near(ranges, rnd):
    """Versions around the limits, and some far off."""
    found = set()
    for a, b, c in [limit for one in ranges for limit in one if limit]:
        found |= {
            (a, b, c),
            (a, b, c + 1),
            (a, b + 1, 0),
            (a + 1, 0, 0),
            (a, b + rnd.randint(1, 12), rnd.randint(0, 9)),
        }
        if c:
            found |= {(a, b, c - 1), (a, b, rnd.randrange(c))}
        if b:
            found |= {(a, b - 1, c), (a, rnd.randrange(b), rnd.randint(0, 20))}
        if a:
            found |= {(a - 1, b + rnd.randint(0, 9), c), (rnd.randrange(a), rnd.randint(0, 30), rnd.randint(0, 9))}
    return sorted(found - {(0, 0, 0)})


def shortened(text):
    """Whole paragraphs of a text without code and headings, as many as are not too long."""
    text, kept = re.sub(r"```.*?```", "", text, flags=re.S), []
    for part in re.split(r"\n\s*\n", text):
        part = rows.plain(re.sub(r"(?m)^#+ .*$|\]\([^)]*\)|\[|\bhttps?:\S+", "", part))
        if len(" ".join([*kept, part]).split()) > MOST_WORDS:
            break
        kept += [part] if part else []
    return " ".join(kept)


def in_words(ranges, rnd):
    said = []
    for first, fixed in ranges:
        start, end = written(first), fixed and written(fixed)
        if first == (0, 0, 0):
            said.append(f"before {end}" if end else "all versions")
        else:
            said.append(f"from {start} before {end}" if end else f"{start} and later")
    return rnd.choice([", ", "; ", " and "]).join(said)


def sayable(claims, is_fixed):
    return claims if is_fixed else [one for one in claims if not UPDATES.search(one[0])]


def on_versions(ranges, surplus, rnd):
    """Questions about versions, and their truths."""
    versions = near(ranges, rnd)
    hit = [one for one in versions if between(one, ranges)]
    safe = [one for one in versions if one not in hit]
    for _ in range(rnd.choice([1, 2, 2])):
        side = hit if rnd.random() < 0.5 else safe
        if side:
            said = sayable(AFFECTED, ranges[-1][1])
            yield evened.claim(said, side is hit, surplus, rnd, v=written(rnd.choice(side)))
    drawn = rnd.random()
    if drawn < 0.15 and len(hit) > 1 and len(safe) > 1:
        shown = rnd.sample(hit, rnd.randint(1, 2)) + rnd.sample(safe, rnd.randint(1, 2))
        asked = {"type": "select", "instructions": rnd.choice(WHICH), "options": list(map(written, sorted(shown)))}
        yield asked, [written(one) for one in sorted(shown) if one in hit]
    elif drawn < 0.35 and hit and len(safe) > 1:
        right, others = rnd.choice(hit), rnd.sample(safe, min(len(safe), rnd.randint(1, 3)))
        shown = [written(one) for one in rnd.sample([right, *others], len(others) + 1)]
        yield {"type": "choice", "instructions": rnd.choice(CHOSEN), "criteria": shown}, written(right)


def beside(state, ranges, surplus, rnd):
    """An advisory beside the version that is in use, with a question, or the same and None."""
    versions, holds = near(ranges, rnd), rnd.random() < 0.5
    fitting = [one for one in versions if between(one, ranges) == holds]
    if rnd.random() < 0.6 or not fitting:
        return state, None
    (of_text, of_version), said = rnd.choice(FIELDS), sayable(OURS, ranges[-1][1])
    return {of_text: state, of_version: written(rnd.choice(fitting))}, evened.claim(said, holds, surplus, rnd)


def sort(kind, kinds, rnd):
    """Which sort of flaw it is, by name or in other words. `kinds`: kind -> (name, the same in other words)."""
    shown = [kind, *rnd.sample([one for one in kinds if one != kind], rnd.randint(2, 4))]
    rnd.shuffle(shown)
    drawn = rnd.random()
    if drawn < 0.4:
        criteria, right = [kinds[one][1] for one in shown], kinds[kind][1]
    elif drawn < 0.7:
        criteria, right = {kinds[one][0]: kinds[one][1] for one in shown}, kinds[kind][0]
    else:
        criteria, right = [kinds[one][0] for one in shown], kinds[kind][0]
    return {"type": "choice", "instructions": rnd.choice(SORT), "criteria": criteria}, right


def quotes(package, ranges, rnd):
    fixed = [one for _, one in ranges]
    if len(ranges) == 1 and fixed[0] and rnd.random() < 0.35:
        yield {"type": "extract", "instructions": rnd.choice(FIXED)}, written(fixed[0])
    elif fixed == [None] and rnd.random() < 0.4:
        yield {"type": "extract", "instructions": rnd.choice(FIXED)}, None
    if rnd.random() < 0.15:
        yield {"type": "extract", "instructions": rnd.choice(PACKAGE)}, package


def ranges_of(events):
    """[(first, fixed or None)] of the events of a range; None where a version is no plain one."""
    found = []
    for event in events:
        said = next(iter(event.values()))
        if "introduced" in event:
            found.append([(0, 0, 0) if said == "0" else number(said) if PLAIN.fullmatch(said) else None, None])
        elif PLAIN.fullmatch(said) and found:
            found[-1][1] = number(said)
        else:
            return None
    return None if any(first is None for first, _ in found) else [tuple(one) for one in found]


def of_go(entry, surplus, rnd):
    """(state, questions) of an entry about one module."""
    affected = entry["affected"][0]
    ranges = ranges_of(affected["ranges"][0]["events"])
    package = affected["package"]["name"]
    if len(entry["affected"]) != 1 or not ranges or len(ranges) > 3:
        return None
    details, summary = shortened(entry.get("details", "")), rows.plain(entry["summary"])
    matching = [kind for kind, (named, _, _) in KINDS.items() if re.search(named, f"{summary} {details}", re.I)]
    told = {} if details in ("", summary) or PLAIN.search(details) else {"details": details}
    if rnd.random() < 0.45:
        state = {
            "id": entry["id"],
            "package": package,
            "summary": summary,
            **told,
            "ranges": affected["ranges"][0]["events"],
        }
    else:
        state = {"id": entry["id"], "summary": summary, **told, "package": package, "affected": in_words(ranges, rnd)}
    if rnd.random() < 0.4:
        state = "\n".join(f"{key.capitalize()}: {said}" for key, said in state.items() if isinstance(said, str))
        state += "" if "Affected:" in state else f"\nAffected: {in_words(ranges, rnd)}"
    state, ours = beside(state, ranges, surplus, rnd)
    made = [ours, *on_versions(ranges, surplus, rnd), *quotes(package, ranges, rnd)]
    if rnd.random() < 0.5 and (ranges[-1][1] or len(ranges) == 1):
        made.append(evened.claim(MENDED, bool(ranges[-1][1]), surplus, rnd))
    if len(matching) == 1 and re.search(KINDS[matching[0]][0], summary, re.I) and rnd.random() < 0.6:
        made.append(sort(matching[0], {kind: words for kind, (_, *words) in KINDS.items()}, rnd))
    return state, made


def meets(version, wanted):
    """Whether a version meets one of the requirements; None where one is not understood."""
    for one in wanted:
        said = [part.strip() for part in one.split(",")]
        found = [re.fullmatch(r"(>=|<=|<|>)\s*(\d+\.\d+\.\d+)", part) for part in said]
        if not all(found):
            return None
        how = {">=": version.__ge__, "<=": version.__le__, "<": version.__lt__, ">": version.__gt__}
        if all(how[each[1]](number(each[2])) for each in found):
            return True
    return False


def on_requirements(patched, unaffected, text, surplus, rnd):
    """Claims about versions, by the requirements that versions without the flaw meet; none where the text names other
    versions than they do.
    """
    limits = [number(said) for one in [*patched, *unaffected] for said in PLAIN.findall(one)]
    around = [one for one in near([(one, None) for one in limits], rnd) if meets(one, patched) is not None]
    around = [one for one in around if meets(one, unaffected) is not None]
    hit = [one for one in around if not meets(one, patched) and not meets(one, unaffected)]
    safe = [one for one in around if one not in hit]
    is_sure = len(patched) < 4 and {number(one) for one in PLAIN.findall(text)} <= set(limits)
    for _ in range(2 if is_sure else 0):
        side = hit if rnd.random() < 0.5 else safe
        if side:
            said = sayable(AFFECTED, patched)
            yield evened.claim(said, side is hit, surplus, rnd, v=written(rnd.choice(side)))


def of_sort(advisory, text):
    """The sort of flaw that both the category of an advisory and its text tell, and nothing else; else None."""
    told = {kind for kind, named in SHOWN.items() if re.search(named, text, re.I)}
    named = {OF_CATEGORY.get(one) for one in advisory.get("categories", [])}
    return told.pop() if len(told) == 1 and told == named else None


def of_rust(page, surplus, rnd):
    """(state, questions) of an advisory as it is written: a table of facts and a text."""
    found = re.fullmatch(r"\s*```toml\n(.*?)```\s*# (.*?)\n(.*)", page, re.S)
    facts = tomllib.loads(found[1])
    advisory, versions = facts["advisory"], facts["versions"]
    patched, unaffected = versions.get("patched", []), versions.get("unaffected", [])
    title, text = rows.plain(found[2]).replace("`", ""), shortened(found[3])
    said, is_unkept = f"{title} {text}", advisory.get("informational") == "unmaintained"
    made = list(on_requirements(patched, unaffected, said, surplus, rnd))
    if (is_unkept or not LEFT.search(said)) and rnd.random() < 0.6:
        made.append(evened.claim(UNKEPT, is_unkept, surplus, rnd))
    is_known = patched or not (unaffected or PLAIN.search(said))  # whether there is a version without the flaw
    if not is_unkept and is_known and rnd.random() < 0.4:
        made.append(evened.claim(MENDED, bool(patched), surplus, rnd))
    kind = "unkept" if is_unkept else of_sort(advisory, said)
    if kind and rnd.random() < 0.6:
        made.append(sort(kind, MORE_KINDS, rnd))
    if rnd.random() < 0.15:
        made.append(({"type": "extract", "instructions": rnd.choice(PACKAGE)}, advisory["package"]))
    if rnd.random() < 0.5:
        shown = {"package": advisory["package"], "patched": patched, "unaffected": unaffected}
        return {**shown, "title": title, **({"text": text} if text else {})}, made
    facts = [f"package = {advisory['package']}", f"patched = {json.dumps(patched)}"]
    facts += [f"unaffected = {json.dumps(unaffected)}"] if unaffected else []
    return "\n".join([*facts, "", title, *([text] if text else [])]), made


def read(show, rnd):
    surplus, made = collections.Counter(), []
    for name in show(FOLDER).split()[2:]:
        entry = json.loads(show(f"{FOLDER}/{name}"))
        if entry.get("affected") and not entry.get("withdrawn"):
            made.append(("advisories", of_go(entry, surplus, rnd)))
    made = rnd.sample(made, min(len(made), MOST))
    for crate in show("crates", MORE["crates"]).split()[2:]:
        for name in show(f"crates/{crate}".rstrip("/"), MORE["crates"]).split()[2:]:
            page = show(f"crates/{crate}{name}", MORE["crates"])
            if "CC-BY-4.0" not in page:
                made.append(("crates", of_rust(page, surplus, rnd)))
    count = 0
    for source, one in made:
        questions = list({each[0]["instructions"]: each for each in one[1] if each}.values()) if one else []
        if questions:
            yield rows.row(f"{source}-{count:05d}", "security advisories", LICENCES[source], one[0], questions[:4])
            count += 1
