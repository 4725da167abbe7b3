"""Names of weights in checkpoints and in the shipped graphs, where they differ from the attributes of the model.

Attributes were renamed; files were not. `Decision` translates when it saves and loads, so that old checkpoints and the
shipped graphs stay readable.
"""

# Attribute -> how its weights are called in files, both up to the first dot.
SAVED_NAMES = {
    "geometry": "place",
    "vision_attributes": "vision_tell",
    "vision_appearance": "vision_look",
    "proximity_kernel": "beside_kernel",
    "proximity_sharpness": "beside_sharpness",
    "overlap_name": "told_name",
    "overlap_sharpness": "told_sharpness",
    "overlap_kernel": "told_kernel",
    "overlap_content": "told_content",
    "appearance_state": "look_state",
    "appearance_readout": "look_mark",
    "picture_mix": "shown_mix",
    "picture_out": "shown_out",
    "picture_gate": "shown_gate",
    "relation_gate": "aside_gate",
    "relation_copy_gate": "aside_copy_gate",
    "point_readout": "point_mark",
    "copy_readout": "copy_mark",
}
ATTRIBUTE_NAMES = {saved: attribute for attribute, saved in SAVED_NAMES.items()}


def attribute_name(saved):
    """The attribute behind a name of a file: `told_kernel` -> `overlap_kernel`."""
    first, *rest = saved.split(".")
    return ".".join([ATTRIBUTE_NAMES.get(first, first), *rest])


def saved_name(attribute):
    """The name in files of an attribute: `overlap_kernel` -> `told_kernel`."""
    first, *rest = attribute.split(".")
    return ".".join([SAVED_NAMES.get(first, first), *rest])


def rename_when_saving(module, state, prefix, metadata):
    """A state-dict hook: names of attributes become names of files."""
    for name in list(state):
        state[saved_name(name)] = state.pop(name)


def rename_when_loading(module, state, prefix, *rest):
    """A hook before loading: names of files become names of attributes."""
    for name in list(state):
        state[attribute_name(name)] = state.pop(name)
