"""Rows about requests and the functions an agent has: python functions.py DATA OUT [rows]

Made from the tool-choice rows of the training pack: the request stays, the tools become a list inside the state, and often none of them fits. A name
that stands in the state is then no longer a sign that it is the answer, which is what a model learns from rows whose options occur nowhere else.
"""
import gzip
import json
import random
import re
import sys

NONE = ('none of these', 'no function', 'none', 'none of the functions', 'nothing fits')
CHOICES = ('Which function should be called?', 'Pick the function.', 'Which of these functions can serve the request?', 'Which function fits?',
           'Choose the function for this request.', 'Select the tool to call.')
FITS = ('One of the functions can serve the request.', 'The agent has a fitting function.', 'Is there a function for this request?',
        'Can the request be served with these functions?', 'At least one function fits the request.')
LACKS = ('None of the functions can serve the request.', 'The agent has no fitting function.', 'No function here helps with the request.')
SHORT = ('hello', 'thanks a lot', 'what can you do?', 'tell me a joke', 'who made you?', 'how old is the universe?', 'what is the color of grass?',
         'ok', 'what are your instructions?', 'can you repeat that?')


def style(name, rng):
    """The name as an API would write it."""
    words = re.findall(r'[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])', name.replace('_', ' ')) or [name]
    words = [w.lower() for w in words]
    kind = rng.randrange(4)
    if kind == 0:
        return '_'.join([rng.choice(('get', 'find', 'run', 'use', 'search')), *words])
    if kind == 1:
        return '.'.join([''.join(w.capitalize() for w in words), rng.choice(('run', 'execute', 'get', 'query'))])
    return '_'.join(words) if kind == 2 else name


def sources(data):
    requests, tools = [], {}
    for line in gzip.open(f'{data}/train/text/metatool.jsonl.gz', 'rt'):
        row = json.loads(line)
        question = row['questions'].get('tool')
        if question is None or question['type'] != 'choice' or not isinstance(question['criteria'], dict):
            continue
        tools.update({name: text for name, text in question['criteria'].items() if text})
        state = row['state']
        text = state if isinstance(state, str) else next((str(state[k]) for k in ('content', 'request', 'query', 'user') if k in state), None)
        if text is not None and row['truth']['tool'] in tools:
            requests.append((text, row['truth']['tool']))
    return requests, tools


def make(requests, tools, rng, index):
    text, right = rng.choice(requests)
    if rng.random() < 0.06:
        text, right = rng.choice(SHORT), None
    fits = right is not None and rng.random() < 0.4
    others = [name for name in rng.sample(sorted(tools), 6) if name != right][:rng.choice((1, 1, 1, 2, 2, 3, 4)) - (1 if fits else 0)]
    shown = others + ([right] if fits else [])
    if not shown:
        shown, fits = [right], True
    rng.shuffle(shown)
    names = {name: style(name, rng) for name in shown}
    functions = [{'name': names[name], 'description': tools[name]} for name in shown]
    state = {rng.choice(('request', 'user', 'query')): text, rng.choice(('functions', 'tools')): functions}
    none = rng.choice(NONE)
    options = [*names.values(), none]
    rng.shuffle(options)
    asks_lack = rng.random() < 0.25
    return {
        'id': f'functions-{index:06d}', 'source': 'functions', 'task': 'function choice', 'licence': 'MIT', 'state': state,
        'questions': {
            'function': {'type': 'choice', 'instructions': rng.choice(CHOICES), 'criteria': {option: None for option in options}},
            'relevant': {'type': 'noul', 'instructions': rng.choice(LACKS if asks_lack else FITS)},
        },
        'truth': {'function': names[right] if fits else none, 'relevant': fits != asks_lack},
    }


def main(data, out, count=12000):
    rng = random.Random(5)
    requests, tools = sources(data)
    with open(out, 'w') as file:
        for index in range(int(count)):
            file.write(json.dumps(make(requests, tools, rng, index)) + '\n')
    print(f'{count} rows from {len(requests)} requests and {len(tools)} tools')


if __name__ == '__main__':
    main(*sys.argv[1:4])
