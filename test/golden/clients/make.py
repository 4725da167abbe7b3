"""Records what published Python clients send to a service, what they are answered, and what they make of it.

    python -m venv venv && venv/bin/pip install -r test/golden/clients/requirements.txt
    npm run build && venv/bin/python test/golden/clients/make.py

Run it in the root of the repository. It fails where a client does not read a reply. What was sent is replayed by
test/service/dialects/python-clients.test.ts and test/mcp/clients.test.ts.
"""

import asyncio
import base64
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import httpx2
import openai
import typesafe_sdk
from mcp.client.stdio import stdio_client
from typesafe_sdk import Choice, Image, Noul, RetryPolicy, Score, TypeSafeClient

from mcp import ClientSession, StdioServerParameters

HERE = Path(__file__).parent
# A red square of 8 by 8 pixels.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII="
MANY = [f"option {i + 1}" for i in range(255)]


class Recorder:
    """Keeps each request of a client and its reply."""

    def __init__(self) -> None:
        self.entries: list[dict] = []
        self.client = httpx2.Client(event_hooks={"response": [self.note]}, timeout=30)

    def note(self, response: httpx2.Response) -> None:
        request = response.request
        response.read()
        kind = request.headers.get("content-type", "")
        body = request.read()
        coded = {"base64": base64.b64encode(body).decode()} if kind.startswith("multipart") else {"text": body.decode()}
        self.entries.append(
            {
                "request": {"method": request.method, "path": request.url.path, "type": kind, "body": coded},
                "status": response.status_code,
                "reply": response.json(),
            }
        )

    def told(self, what: str, read: object) -> None:
        """Names the last request, and says what the client made of the reply."""
        self.entries[-1] = {"what": what, **self.entries[-1], "read": read}


def openai_client(service: dict, held: dict) -> list[dict]:
    recorder = Recorder()
    client = openai.OpenAI(
        api_key=service["secret"], base_url=service["url"] + "/v1", max_retries=0, http_client=recorder.client
    )

    def ask(what: str, input: object, questions: list[dict]) -> None:
        decision = client.decisions.create(model="gpt-6-luna", input=input, questions=questions)
        recorder.told(what, [type(answer).__name__ for answer in decision.answers])

    questions = [
        {"type": "predicate", "name": "angry", "instructions": "The customer is angry."},
        {
            "type": "choice",
            "name": "next",
            "instructions": "What next?",
            "choices": [{"value": "refund"}, {"value": True}],
        },
        {
            "type": "score",
            "name": "haste",
            "instructions": "How urgent?",
            "levels": [{"label": "low"}, {"label": "high"}],
        },
    ]
    ask("a text", "It arrived broken!", questions)
    ask("JSON", [{"role": "user", "content": [{"type": "input_json", "data": {"order": 81}}]}], questions)
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}
    ask("a picture", [{"role": "user", "content": [{"type": "input_text", "text": "See:"}, picture]}], questions)
    ask(
        "many options",
        "x",
        [{"type": "choice", "name": "many", "instructions": "Which?", "choices": [{"value": one} for one in MANY]}],
    )
    models = [(model.id, model.object, model.owned_by) for model in client.models.list()]
    recorder.told("models", models)
    try:
        ask("an error", "x", [{"type": "predicate", "name": "q", "instruction": "typo"}])
    except openai.BadRequestError as error:
        recorder.told("an error", [type(error).__name__, error.code, error.param])
    stranger = openai.OpenAI(
        api_key="sk-none", base_url=service["url"] + "/v1", max_retries=0, http_client=recorder.client
    )
    try:
        stranger.decisions.create(model="gpt-6-luna", input="x", questions=questions)
    except openai.AuthenticationError as error:
        recorder.told("a stranger", [type(error).__name__, error.code])
    waiting = openai.OpenAI(api_key=held["secret"], base_url=held["url"] + "/v1", max_retries=0, timeout=0.5)
    try:
        waiting.decisions.create(model="gpt-6-luna", input="x", questions=questions)
    except openai.APITimeoutError:
        print("openai: gives up in its own words")
    else:
        raise SystemExit("openai: was answered by a model that never answers")
    return recorder.entries


def typesafe_client(service: dict, held: dict) -> list[dict]:
    recorder = Recorder()
    no_retry = RetryPolicy(max_retries=0)
    client = TypeSafeClient(
        api_key=service["secret"], base_url=service["url"], retry=no_retry, http_client=recorder.client
    )
    questions = {
        "billing": Noul(instructions="Is this about billing?"),
        "next": Choice(instructions="What next?", criteria={"refund": "give it back", "explain": None}),
        "tone": Score(criteria=["calm", {"words": ["angry", "furious"]}]),
    }

    def ask(what: str, state: object, questions: dict = questions, **more: object) -> None:
        result = client.system_one(state=state, questions=questions, **more)
        recorder.told(what, {name: type(answer).__name__ for name, answer in result.answers.items()})

    ask("a text", "I was charged twice. Please help.")
    ask("JSON", {"order": 81, "notes": ["late", None]})
    photo = Image(base64.b64decode(PNG))
    ask("a picture alone", photo)
    ask(
        "a picture in JSON and in a question",
        {"product": "cup", "photo": photo},
        {"red": Noul(instructions=["Is it red?", photo])},
    )
    ask(
        "pictures by names of their own",
        "Compare left and right.",
        assets={"left": photo, "right": Image(base64.b64decode(PNG))},
    )
    with client.attach_assets(photo):
        ask("a picture within a text", f"Product: {photo}")
    ask("many options", "x", {"many": Choice(criteria=dict.fromkeys(MANY))})
    models = [(model.name, model.release_date != "") for model in client.models.list().models]
    recorder.told("models", models)
    try:
        ask("an error", "x", {"q": {"type": "choice", "criteria": {"one": None}}})
    except typesafe_sdk.TypeSafeBadRequestError as error:
        recorder.told("an error", [type(error).__name__, str(error).split(": ", 1)[1].split(" (request_id")[0]])
    stranger = TypeSafeClient(
        api_key="service_sk_none", base_url=service["url"], retry=no_retry, http_client=recorder.client
    )
    try:
        stranger.system_one(state="x", questions=questions)
    except typesafe_sdk.TypeSafeAuthenticationError as error:
        recorder.told("a stranger", [type(error).__name__])
    waiting = TypeSafeClient(api_key=held["secret"], base_url=held["url"], retry=no_retry, timeout=0.5)
    try:
        waiting.system_one(state="x", questions=questions)
    except typesafe_sdk.TypeSafeAPITimeoutError:
        print("typesafe-sdk: gives up in its own words")
    else:
        raise SystemExit("typesafe-sdk: was answered by a model that never answers")
    return recorder.entries


async def mcp_client() -> list[dict]:
    """Every line that went either way, in order."""
    log = HERE / "lines.tmp"
    tee = [str(HERE / "tee.py"), str(log), "node", "dist/cli/main.js", "mcp"]
    command = StdioServerParameters(command=sys.executable, args=tee)
    async with stdio_client(command) as (reader, writer), ClientSession(reader, writer) as session:
        print("mcp: protocol", (await session.initialize()).protocol_version)
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert names == ["ask", "record_outcome"], names
        angry = {"angry": {"type": "noul", "instructions": "The customer is angry."}}
        picture = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]
        many = {"many": {"type": "choice", "criteria": MANY}}
        for state, questions in [
            ("It is late!", angry),
            ({"order": 81}, angry),
            (7, angry),
            (picture, angry),
            ("x", many),
        ]:
            result = await session.call_tool("ask", {"state": state, "questions": questions})
            assert not result.is_error and set(result.structured_content["answers"]) == set(questions), result
        wrong = await session.call_tool("ask", {"questions": {"q": {"type": "nuol"}}})
        assert wrong.is_error and "/questions/q/type" in wrong.content[0].text, wrong
        await session.list_tools()
        try:
            await asyncio.wait_for(session.call_tool("ask", {"state": "word " * 2000, "questions": angry}), 0.01)
        except TimeoutError:
            print("mcp: gives up in its own words")
        after = await session.call_tool("ask", {"state": "x", "questions": angry})
        assert not after.is_error, after
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    log.unlink()
    # What the tools are like is said elsewhere, and grows with them.
    return [line for line in lines if "tools" not in line["message"].get("result", {})]


def main() -> None:
    command = ["node", "--import", "tsx", str(HERE / "serve.ts")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        service, held = json.loads(server.stdout.readline())
        goldens = {
            "openai": openai_client(service, held),
            "typesafe-sdk": typesafe_client(service, held),
            "mcp": asyncio.run(mcp_client()),
        }
        server.stdin.close()
    for name, entries in goldens.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        (HERE / f"{name}.json").write_text(f'{{"client": "{name} {version(name)}", "entries": [\n{lines}\n]}}\n')


main()
