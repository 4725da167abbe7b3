"""What a question offers to choose from."""


def options_of(question):
    """[(name, what describes it or None)] of its options or levels; None where there are none."""
    given = question.get("criteria") or question.get("options")
    if given is None:
        return None
    if isinstance(given, dict):
        return list(given.items())
    named = [one if isinstance(one, dict) else {"label": one} for one in given]
    return [(str(one.get("label", one.get("value", one.get("name")))), one.get("description")) for one in named]
