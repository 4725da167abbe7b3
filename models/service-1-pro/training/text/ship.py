"""What a checkpoint is worth as the text half of the shipped model: a folder that the engine loads, with a calibration
of its own, beside what ships now, both through the engine on the same rows.

    python ship.py CHECKPOINT OUT --rows ROWS --data DATA [--unseen UNSEEN] [--aside ASIDE] [--each 150] [--held 200]
    [--before MAIN_JS]

Needs a build of the engine (`npm run build`). ROWS comes from prepare.py, UNSEEN from unseen.py; rows that were trained
on are not asked.
Writes OUT/service-1-pro (copy its texts/ to ship it), OUT/evidence.jsonl.gz and OUT/calibration.json (fitted on half of
the families held out, the calibration split of the dev tasks, and rows that were set aside of every second set that is
trained on; records of pictures are carried over, their graphs are the same), and OUT/table.md: right and log-loss,
before and now, on the other half of the families, the dev split, first/ (what newcomers might try, by 16 writers who
wrote nothing else here; for measuring only), what is unseen, and rows that were set aside of the other sets (25 a set);
tables as the card has them.
What is there already is not made again, so it goes on where it was stopped. Where PROMPT_VERSION of the encoder was
raised since the last weights, what ships is answered by the engine that it was calibrated under: `--before` names the
dist/cli/main.js of a build of it.
"""

import argparse
import collections
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys

import put_together
import removed
from prepare import COMPARING, PICTURES, lines, write

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(f"{HERE}/../../../..")
SHIPPED, EVIDENCE = f"{ROOT}/models/service-1-pro", f"{ROOT}/calibration-data/service-1-pro/evidence.jsonl.gz"
ASIDE_ROWS = 25
# Rows whose value was taken out, so that whatever is written is wrong: as sure as a value is, it has to be there.
TAKEN_OUT = "taken-out"
READS = ("quote", "written", "not_there")
TYPES = ["noul", "choice", "score", "select", "extract", "fill"]
# Groups of sets, and names of sets that a stranger would not understand by their file's.
GROUPS = {
    "held": "Families held out",
    "dev": "Dev tasks",
    "aside": "Rows set aside of sets that are trained on",
    "first": "What newcomers might try",
    "unseen": "Public sets never read",
}
NAMES = {
    "claims": "short texts; what follows",
    "compared": "two texts compared",
    "unsaid": "what is not said",
    "comparing": "numbers or days compared, many more rows",
    "put-together": "put together from others",
    "bbq-appearance": "answer or abstain (BBQ)",
    "clinc150": "intents (CLINC150)",
    "dialogue-state": "dialogue state",
    "function-relevance": "function relevance",
    "goemotions": "emotions (GoEmotions)",
    "new-names": "new names (WNUT17)",
    "restaurant8k": "booking details (Restaurant8k)",
    "snips": "commands (SNIPS)",
    "sts-b": "similarity (STS-B)",
    "mail": "mail, support, reviews",
    "cases-b": "plain sentences (ba-, bb-)",
    "cases-bc": "records in other words (bc- to bf-)",
    "cases-bg": "lists of records in other words (bg-, bh-)",
    "cases-bi": "what people send (bi- to bp-)",
    "cases-ca": "what is tried first (ca- to cf-)",
    "cases-cg": "in other words (cg- to cl-)",
    "cases-cm": "in other words (cm- to cr-)",
    "cases-cs": "counts, limits, what is not said (cs- to cx-)",
    "cases-da": "counts, limits, what is not said (da- to df-)",
    "cases-l": "cases, lists of answers (l-)",
    "cases-m": "cases (m-)",
    "cases-n": "cases (n-)",
    "cases-z": "cases (z-)",
    "agents": "logs, records, agents, rules",
    "structured": "texts with structure",
    "reworded": "records and texts, in other words",
    "json": "lists of objects in JSON",
    "texts": "news, notices, contracts, talks",
    "ag-news": "news (AG News)",
    "banking77": "bank intents of ten (BANKING77)",
    "irony": "irony in tweets",
    "qnli": "does a sentence answer (QNLI)",
    "sick": "inference (SICK)",
    "squad": "questions about a passage (SQuAD dev, of XQuAD)",
    "stars": "film reviews (SST)",
    "subjective": "fact or opinion (Subj)",
    "who-or-what": "who or what in a passage (Quoref)",
    "yes-or-no": "yes or no about a passage (BoolQ, contrast set)",
}


def evenly(rows, most):
    return rows if len(rows) <= most else [rows[int(n * len(rows) / most)] for n in range(most)]


MAIN = f"{ROOT}/dist/cli/main.js"


def assay(*words, main=MAIN):
    subprocess.run(["node", main, *words], check=True, stdout=subprocess.DEVNULL)


def rows(options):
    """OUT/fit and OUT/measure, a file a set. Families are halved by name, so no phrase of one half is in the other."""
    for path in sorted(glob.glob(f"{options.data}/dev/*/*.jsonl.gz")):
        task = os.path.basename(os.path.dirname(path))
        if task not in PICTURES:
            half = "measure" if os.path.basename(path).startswith("dev") else "fit"
            write(f"{options.out}/{half}/dev-{task}.jsonl", evenly(list(lines(path)), options.each))
    found = {"measure": collections.defaultdict(list), "fit": collections.defaultdict(list)}
    halves = {}
    for path in sorted(glob.glob(f"{options.rows}/held/*.jsonl")):
        kind = os.path.basename(path)[:-6]
        if kind.startswith("pairs") or kind == COMPARING:
            continue
        by_family = collections.defaultdict(list)
        for row in lines(path):
            by_family[row["task"]].append(row)
        for n, half in enumerate(found):
            for name in sorted(by_family)[n::2]:
                halves[name] = half
                found[half][kind] += by_family[name]
    # What is compared is calibrated by itself. What is put together isn't: it fits together as it is.
    for row in lines(f"{options.rows}/held/{COMPARING}.jsonl"):
        if row["task"] in halves:
            found[halves[row["task"]]][COMPARING].append(row)
    claims = [row for kind, taken in found["measure"].items() if kind != COMPARING for row in taken]
    found["measure"]["put-together"] = list(put_together.rows(claims, "measure"))
    asked = [row for kind, taken in found["fit"].items() if kind != COMPARING for row in taken]
    found["fit"][TAKEN_OUT] = list(removed.rows(asked))
    for half, kinds in found.items():
        for kind, taken in kinds.items():
            most = {COMPARING: 5 * options.held, TAKEN_OUT: options.held // 2}.get(kind, options.held)
            write(f"{options.out}/{half}/held-{kind}.jsonl", evenly(taken, most))
    for path in sorted(glob.glob(f"{HERE}/first/*.jsonl")):
        write(f"{options.out}/measure/first-{os.path.basename(path)}", list(lines(path)))
    for path in sorted(glob.glob(f"{options.unseen}/*.jsonl")) if options.unseen else []:
        write(f"{options.out}/measure/unseen-{os.path.basename(path)}", evenly(list(lines(path)), options.each))
    for n, path in enumerate(sorted(glob.glob(f"{options.aside}/*.jsonl")) if options.aside else []):
        half = "measure" if n % 2 == 0 else "fit"
        write(f"{options.out}/{half}/aside-{os.path.basename(path)}", evenly(list(lines(path)), ASIDE_ROWS))


def folder(options):
    """OUT/service-1-pro: the shipped folder with the checkpoint's graphs in eight bits in place of its texts."""
    model = f"{options.out}/service-1-pro"
    shutil.copytree(SHIPPED, f"{model}.new", ignore=shutil.ignore_patterns("training", "texts"), dirs_exist_ok=True)
    command = [sys.executable, "export.py", options.checkpoint, f"{model}.new/texts", "--rows", f"{options.rows}/train"]
    subprocess.run(command, check=True, cwd=HERE)
    for path in glob.glob(f"{model}.new/texts/onnx/*.onnx"):
        if not path.endswith("_int8.onnx"):
            os.remove(path)
    os.replace(f"{model}.new", model)


def answered(options, half, name, *words, main=MAIN):
    """Asks all rows of a half; gives the file of the results."""
    to = f"{options.out}/{name}"
    assay("eval", *sorted(glob.glob(f"{options.out}/{half}/*.jsonl")), "-o", to, *words, main=main)
    return f"{to}/results.jsonl"


def answered_before(options):
    """What ships now, which has to be as calibrated as it was when it was shipped."""
    results = answered(options, "measure", "before", main=options.before)
    with open(results, encoding="utf-8") as file:
        calibrated_by = json.loads(next(file))["binding"]["calibration"]
    if calibrated_by is None:
        sys.exit("What ships is uncalibrated in this engine; give --before the main.js that it was shipped with.")
    return results


def reads_alone(options):
    """OUT/reads: of the rows to fit on those with something to be read, and no other questions."""
    for path in sorted(glob.glob(f"{options.out}/fit/*.jsonl")):
        rows = []
        for row in lines(path):
            asked = {name: one for name, one in row["questions"].items() if one["type"] in ("extract", "fill")}
            if asked:
                truth = {name: one for name, one in row["truth"].items() if name in asked}
                rows.append({**row, "questions": asked, "truth": truth})
        if rows:
            write(f"{options.out}/reads/{os.path.basename(path)}", rows)


def calibrated(options):
    """OUT/evidence.jsonl.gz and what is fitted on it. A read with a self-check is evidence of the check, so reads are
    asked once more without.
    """
    texts, reads, pictures = f"{options.out}/texts.jsonl", f"{options.out}/reads.jsonl", 0
    words = ("--model", f"{options.out}/service-1-pro", "--calibration", "none")
    answered(options, "fit", "fitted", *words, "--deliberation", "always", "--self-check", "--evidence", texts)
    reads_alone(options)
    answered(options, "reads", "fitted-reads", *words, "--deliberation", "never", "--evidence", reads)
    with gzip.open(f"{options.out}/evidence.jsonl.gz", "wt", encoding="utf-8") as to:
        with open(texts, encoding="utf-8") as file:
            to.writelines(line for line in file if json.loads(line).get("readout") != "composed")
        with open(reads, encoding="utf-8") as file:
            to.writelines(line for line in list(file)[1:] if json.loads(line)["readout"] in READS)
        with gzip.open(EVIDENCE, "rt", encoding="utf-8") as file:
            for line in list(file)[1:]:
                if json.loads(line)["hasImage"]:
                    to.write(line)
                    pictures += 1
    print(f"{pictures:,} records of pictures carried over", flush=True)
    assay("calibrate", "fit", f"{options.out}/evidence.jsonl.gz", "-o", f"{options.out}/calibration.json")


def summed(path):
    """(set, type) -> decisions, right, log-loss; sets by the files that the rows came from."""
    out = collections.defaultdict(lambda: [0, 0.0, 0.0])
    with open(path, encoding="utf-8") as file:
        head = json.loads(next(file))
        ends, last = [], 0
        for one in head["binding"]["dataset"]:
            last += one["rows"]
            ends.append((last, os.path.basename(one["name"])[:-6]))
        for line in file:
            row = json.loads(line)
            name = next(name for end, name in ends if row["at"] < end)
            for question in row.get("questions", []):
                for key in (name, f"all {name.split('-')[0]}"):
                    into = out[key, question["type"]]
                    into[0] += 1
                    into[1] += question["right"]
                    into[2] += question["logLoss"] or 0.0
    return out


def rounded(value):
    return f"{value:.2f}".lstrip("0")


def cell(before, now):
    """Right before → now, log-loss before → now (questions)."""
    (n, right, loss), (_, right_now, loss_now) = before, now
    if not n:
        return ""
    losses = f", {rounded(loss / n)} → {rounded(loss_now / n)}" if loss_now else ""
    return f"{rounded(right / n)} → {rounded(right_now / n)}{losses} ({n})"


def tables(before, now):
    """Markdown: a table a group of sets, as the card has them; types that a group never asks are left out."""
    said = []
    for group, title in GROUPS.items():
        names = sorted({name for name, _ in now if name.startswith(f"{group}-")})
        types = [kind for kind in TYPES if now[f"all {group}", kind][0]]
        if not names:
            continue
        said += [
            f"**{title}**:",
            "",
            "| right, log-loss: before → now (questions) | " + " | ".join(f"`{kind}`" for kind in types) + " |",
        ]
        said.append("|---" * (1 + len(types)) + "|")
        for name in [*names, f"all {group}"]:
            short = "all" if name.startswith("all") else name.removeprefix(f"{group}-").removeprefix("public-")
            cells = " | ".join(cell(before[name, kind], now[name, kind]) for kind in types)
            said.append(f"| {NAMES.get(short, short)} | {cells} |")
        said.append("")
    return "\n".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    parser.add_argument("--rows", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--unseen")
    parser.add_argument("--aside", help="rows kept out of ROWS/train, a file a set")
    parser.add_argument("--each", type=int, default=150, help="rows a dev task and half")
    parser.add_argument("--held", type=int, default=200, help="rows a kind of family and half")
    parser.add_argument("--before", default=MAIN, help="the command line that answers for what ships now")
    options = parser.parse_args()
    options.out, options.checkpoint, options.rows = map(
        os.path.abspath, (options.out, options.checkpoint, options.rows)
    )
    for made, make in (("measure", rows), ("service-1-pro", folder), ("calibration.json", calibrated)):
        if not os.path.exists(f"{options.out}/{made}"):
            make(options)
    before = answered_before(options)
    own = ("--model", f"{options.out}/service-1-pro", "--calibration", f"{options.out}/calibration.json")
    now = answered(options, "measure", "now", *own)
    compared = tables(summed(before), summed(now))
    with open(f"{options.out}/table.md", "w", encoding="utf-8") as to:
        print(compared, file=to)
    print(compared)


if __name__ == "__main__":
    main()
