"""The shipped vision encoder back to a checkpoint.

    python -m vision.restore VISION_ENCODER.onnx TILES_FOLDER NAME OUT.pt

The tower and the box head come back exactly; the other heads were never shipped and start anew (vision.train
--heads-first). Batch norms were folded into their convolutions; each gets the mean and spread that its convolution has
on tiles of the dump NAME, so training mode computes nearly what the encoder does, and evaluation mode exactly that.
"""

import argparse
import pathlib

import numpy
import onnx
import torch
from onnx import numpy_helper

from export.vision import session
from vision.labels import CHARACTER_CLASSES, TAGS
from vision.losses import to_pixels
from vision.net import TILE, Convolution, Served, Teacher

MOST_TILES = 256
LARGEST_DIFFERENCE = 1e-3


def load_folded(teacher: Teacher, path: pathlib.Path) -> dict[Convolution, torch.Tensor]:
    """Loads the shipped weights; returns the bias of each folded convolution, which a `Convolution` does not have."""
    shipped = {
        tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in onnx.load(path).graph.initializer
    }
    state = teacher.state_dict()
    for name in ("box.0.weight", "box.2.weight"):
        # The exporter turns a linear layer into a product with the transposed weights, under a name of its own.
        [own] = [
            key
            for key, value in shipped.items()
            if key.startswith("onnx::MatMul") and value.T.shape == state[name].shape
        ]
        shipped[name] = shipped.pop(own).T.contiguous()
    folded = {f"{name}.0.bias": module for name, module in teacher.named_modules() if isinstance(module, Convolution)}
    biases = {folded[name]: shipped.pop(name) for name in list(shipped) if name in folded}
    unknown = [name for name in shipped if name not in state]
    if unknown or len(biases) != len(folded):
        raise SystemExit(f"another encoder than this code writes: {', '.join(unknown) or 'convolutions are missing'}")
    teacher.load_state_dict(state | shipped)
    return biases


def set_norms(teacher: Teacher, biases: dict[Convolution, torch.Tensor], pixels: torch.Tensor) -> None:
    """Each norm gets its input's mean and spread, and the scale and shift that undo them."""

    def measure(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        norm, seen = module[1], module[0](inputs[0])
        norm.running_mean.copy_(seen.mean((0, 2, 3)))
        norm.running_var.copy_(seen.var((0, 2, 3)))
        norm.weight.data.copy_((norm.running_var + norm.eps).sqrt())
        norm.bias.data.copy_(biases[module] + norm.running_mean)

    # A hook runs before its convolution does, so that what lies behind sees the norm set already.
    hooks = [module.register_forward_pre_hook(measure) for module in biases]
    with torch.no_grad():
        teacher.eval().tower(pixels)
    for hook in hooks:
        hook.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder", type=pathlib.Path)
    parser.add_argument("tiles", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    teacher = Teacher(len(TAGS), CHARACTER_CLASSES)
    biases = load_folded(teacher, arguments.encoder)
    tiles = numpy.memmap(arguments.tiles / f"tiles-{arguments.name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
    chosen = tiles[numpy.linspace(0, len(tiles) - 1, min(MOST_TILES, len(tiles))).astype(int)]
    pixels = to_pixels(torch.from_numpy(numpy.ascontiguousarray(chosen)))
    set_norms(teacher, biases, pixels)
    with torch.no_grad():
        ours = [values.numpy() for values in Served(teacher).eval()(pixels[:8])]
    theirs = session(arguments.encoder).run(None, {"pixel_values": pixels[:8].contiguous().numpy()})
    worst = max(float(numpy.abs(a - b).max()) for a, b in zip(ours, theirs))
    if worst > LARGEST_DIFFERENCE:
        raise SystemExit(
            f"the encoder computes otherwise: a feature differs by {worst:.2e}, {LARGEST_DIFFERENCE:.0e} allowed"
        )
    state = teacher.state_dict()
    torch.save(
        {
            "teacher": state,
            "average": {f"module.{name}": value for name, value in state.items()},
            "step": 0,
            "seconds": 0.0,
        },
        arguments.out,
    )
    print(
        f"{sum(p.numel() for p in teacher.tower.parameters()):,} numbers in the tower, largest difference {worst:.2e}"
    )


if __name__ == "__main__":
    main()
