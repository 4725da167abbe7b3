"""adambard/learnxinyminutes-docs: programming languages shown by commented code that many people wrote (Learn X in Y
minutes, CC BY-SA 3.0): in which language a few lines are. Lines that name their language are not taken.
"""

import collections
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "adambard/learnxinyminutes-docs"
EACH, LINES, LONGEST = 150, (2, 9), 800  # snippets of a language, lines, characters
# File -> its name, other names, and the languages that it is taken for.
LANGUAGES = {
    "python": ("Python", "python py", "ruby julia gdscript javascript"),
    "javascript": ("JavaScript", "javascript js", "typescript java coffeescript php"),
    "typescript": ("TypeScript", "typescript", "javascript csharp kotlin dart"),
    "java": ("Java", "java", "csharp kotlin groovy javascript"),
    "csharp": ("C#", "csharp c#", "java typescript c++ swift"),
    "c": ("C", "", "c++ objective-c go rust"),
    "c++": ("C++", "c++", "c csharp rust java"),
    "objective-c": ("Objective-C", "objective-c", "c swift c++"),
    "go": ("Go", "golang", "rust c swift zig"),
    "rust": ("Rust", "rust", "go swift c++ zig"),
    "zig": ("Zig", "zig", "rust c go"),
    "swift": ("Swift", "swift", "kotlin rust dart"),
    "kotlin": ("Kotlin", "kotlin", "java swift scala"),
    "scala": ("Scala", "scala", "kotlin java haskell"),
    "groovy": ("Groovy", "groovy", "java kotlin ruby"),
    "dart": ("Dart", "dart", "javascript java kotlin"),
    "php": ("PHP", "php", "perl javascript ruby"),
    "perl": ("Perl", "perl", "php bash ruby raku"),
    "raku": ("Raku", "raku perl", "perl ruby"),
    "ruby": ("Ruby", "ruby", "python crystal elixir"),
    "crystal": ("Crystal", "crystal", "ruby"),
    "bash": ("Bash", "bash", "fish powershell tcsh perl"),
    "fish": ("fish", "fish", "bash tcsh"),
    "powershell": ("PowerShell", "powershell", "bash csharp"),
    "r": ("R", "", "julia matlab python"),
    "julia": ("Julia", "julia", "python matlab r"),
    "matlab": ("MATLAB", "matlab octave", "julia r fortran"),
    "fortran": ("Fortran", "fortran", "matlab pascal cobol"),
    "pascal": ("Pascal", "pascal delphi", "ada visualbasic fortran"),
    "visualbasic": ("Visual Basic", "basic vb", "pascal csharp"),
    "cobol": ("COBOL", "cobol", "fortran sql"),
    "haskell": ("Haskell", "haskell", "ocaml elm purescript fsharp"),
    "ocaml": ("OCaml", "ocaml", "fsharp haskell standard-ml"),
    "fsharp": ("F#", "f# fsharp", "ocaml haskell csharp"),
    "elm": ("Elm", "elm", "haskell purescript"),
    "elixir": ("Elixir", "elixir", "ruby erlang"),
    "erlang": ("Erlang", "erlang", "elixir prolog"),
    "clojure": ("Clojure", "clojure", "common-lisp scheme racket"),
    "common-lisp": ("Common Lisp", "lisp", "clojure scheme elisp"),
    "scheme": ("Scheme", "scheme", "racket common-lisp clojure"),
    "racket": ("Racket", "racket", "scheme clojure common-lisp"),
    "lua": ("Lua", "lua", "ruby python javascript"),
    "sql": ("SQL", "sql", "cypher cobol"),
    "prolog": ("Prolog", "prolog", "erlang haskell"),
    "css": ("CSS", "css", "sass less html"),
    "sass": ("Sass", "sass scss", "css less"),
    "html": ("HTML", "html", "xml css"),
    "xml": ("XML", "xml", "html json yaml"),
    "json": ("JSON", "json", "yaml toml javascript"),
    "yaml": ("YAML", "yaml", "json toml"),
    "toml": ("TOML", "toml", "yaml json"),
    "docker": ("Dockerfile", "docker dockerfile", "bash make"),
    "make": ("Makefile", "make makefile", "bash cmake"),
    "solidity": ("Solidity", "solidity", "javascript typescript c++"),
    "latex": ("LaTeX", "latex tex", "markdown html"),
    "markdown": ("Markdown", "markdown", "html latex yaml"),
}
REMARK = re.compile(r"\s*(?://|#\s|--|%|;|/\*|\*|'|\(\*|\{-|<!--)")
BLOCK = re.compile(r"^```[\w+#-]*[ ]*\n(.*?)^```", re.M | re.S)
AFFIRMED = [
    "This is {it} code.",
    "The snippet is written in {it}.",
    "The language is {it}.",
    "Is this {it}?",
    "The code is {it}.",
    "This belongs in a file of {it} code.",
    "Somebody who knows {it} wrote this.",
]
DENIED = ["This is not {it}.", "The code is in another language than {it}.", "The snippet isn't written in {it}."]
ASKS = [
    "Which programming language is it?",
    "In what language is the code?",
    "Language of the snippet",
    "How should the code be highlighted?",
    "What is this written in?",
    "Detect the language.",
]


def snippets(text, names, rnd):
    """A few lines each of a page's code, none that names the language."""
    naming = re.compile(r"(?<![\w.])(?:" + "|".join(map(re.escape, names)) + r")(?!\w)", re.I) if names else None
    made = []
    for block in BLOCK.findall(text):
        lines, at = block.rstrip().split("\n"), 0
        while at < len(lines):
            some = lines[at : at + rnd.randint(*LINES)]
            at += len(some)
            said = "\n".join(some).strip("\n")
            filled = [line for line in some if re.search(r"\w", line)]
            code = [line for line in filled if not REMARK.match(line)]
            if (
                len(code) >= LINES[0]
                and 2 * len(code) >= len(filled)
                and len(said) <= LONGEST
                and not (naming and naming.search(said))
            ):
                made.append(said)
    rnd.shuffle(made)
    return made[:EACH]


def read(show, rnd):
    surplus = collections.Counter()
    said = {one: one_of_kinds.said_of({one: {"it": LANGUAGES[one][0]}}, AFFIRMED, DENIED) for one in LANGUAGES}
    names = [{one: words[0] for one, words in LANGUAGES.items()}]
    known = [(one, code) for one in LANGUAGES for code in snippets(show(f"{one}.md"), LANGUAGES[one][1].split(), rnd)]
    rnd.shuffle(known)
    for count, (language, code) in enumerate(known):
        near = [one for one in LANGUAGES[language][2].split() if one in LANGUAGES]
        rnd.shuffle(near)
        asked = {language: 1} | {one: 0 for one in [*near[:2], rnd.choice(list(LANGUAGES))] if one != language}
        about = [claim for one in asked for claim in said[one]]
        made = list(one_of_kinds.claims(asked, about, rnd.choice([1, 1, 2]), surplus, rnd))
        if rnd.random() < 0.7 or not made:
            others = near[: rnd.randint(0, 3)]
            made.append(one_of_kinds.choice(language, names, ASKS, rnd, others, rnd.choice([4, 6, 9])))
        state = {"code": code} if rnd.random() < 0.2 else code
        yield rows.row(f"snippets-{count:05d}", "programming language", "CC BY-SA 3.0", state, made)
