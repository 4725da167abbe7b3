"""The float vision encoder to 8 bits.

    python -m export.quantise VISION_ENCODER.onnx TILES_FOLDER OUT.onnx NAME ... --check NAME ...

Scales are fixed and found on the tiles of the dumps NAME, so a tile's features do not depend on the others of its run.
Weights have 7 bits: with 8, processors without VNNI saturate in the middle of a sum and would answer differently.
Prints how near the features of the dumps under --check stay, and the times of both.
"""

import argparse
import pathlib
import tempfile
import time
from collections.abc import Callable

import numpy
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationMethod, QuantType
from onnxruntime.quantization.calibrate import TensorData, TensorsData
from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process

from export.vision import session
from vision.net import CELL, GRID, TILE, WIDTH

# These stay float, a seventh of the work and most of the error: the large maps before a stride of 8, and the layers
# between the last map and the features.
FLOAT = ("tower.fine.0.", "tower.fine.1.", "tower.fine.2.", "tower.fine.3.", "tower.mix.", "tower.feature.")
PIXELS = "pixel_values"
TILES_LEARNED_FROM = 200
VALUES_A_RUN = 20_000
BATCH = 4
# A cell whose pixels differ by no more is never read (src/backends/onnx/families/decision/cells.ts).
FLAT = 8

Floats = NDArray[numpy.float32]
Ranges = dict[str, tuple[float, float]]


def read_tiles(folder: pathlib.Path, names: list[str], most: int) -> NDArray[numpy.uint8]:
    """At most so many tiles of each dump, from all over it."""
    parts = []
    for name in names:
        tiles = numpy.memmap(folder / f"tiles-{name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
        parts.append(tiles[numpy.unique(numpy.linspace(0, len(tiles) - 1, most).astype(int))])
    return numpy.concatenate(parts)


def pixels_of(tiles: NDArray[numpy.uint8]) -> Floats:
    return tiles.transpose(0, 3, 1, 2).astype(numpy.float32) / 127.5 - 1


def copy_of(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


class Encoder:
    """A graph whose convolutions can be changed, and observed into."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = copy_of(model)
        self.weights = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.convolutions = [node for node in self.model.graph.node if node.op_type == "Conv"]
        self.quantised = [node for node in self.convolutions if not node.input[1].startswith(FLOAT)]

    def change(self, name: str, change: Callable[[Floats], Floats]) -> None:
        self.weights[name].CopyFrom(numpy_helper.from_array(change(self.read(name)).astype(numpy.float32), name))

    def read(self, name: str) -> Floats:
        return numpy_helper.to_array(self.weights[name])


def observe(
    model: onnx.ModelProto, names: list[str], tiles: NDArray[numpy.uint8], record: Callable[[dict[str, Floats]], None]
) -> None:
    """Calls `record` with the tensors of these names, for a few tiles at a time."""
    observed = copy_of(model)
    del observed.graph.output[:]
    observed.graph.output.extend(
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names
    )
    run = onnxruntime.InferenceSession(observed.SerializeToString(), providers=["CPUExecutionProvider"])
    for start in range(0, len(tiles), BATCH):
        record(dict(zip(names, run.run(None, {PIXELS: pixels_of(tiles[start : start + BATCH])}))))


def channel_groups(encoder: Encoder) -> dict[str, str]:
    """Tensor to the group whose channels it shares: ReLU and addition keep the channels of what they are given."""
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    for node in encoder.model.graph.node:
        if node.op_type in ("Relu", "Add") and node.name.startswith("/tower"):
            for name in node.input:
                group[root(name)] = root(node.output[0])
    return {name: root(name) for name in list(group)}


def equalise(encoder: Encoder, tiles: NDArray[numpy.uint8]) -> None:
    """
    Brings the channels of a map nearer to one range, since they will share a scale (Nagel et al. 2019, 4.1).

    They are divided where they are made and multiplied where they are read, by the square root of their peaks. ReLU and
    addition let positive factors pass, so the features stay the same.
    """
    groups = channel_groups(encoder)
    peaks: dict[str, Floats] = {}

    def record(values_of: dict[str, Floats]) -> None:
        for name, values in values_of.items():
            peak = numpy.quantile(values.transpose(1, 0, 2, 3).reshape(values.shape[1], -1), 0.9995, axis=1)
            peaks[groups[name]] = numpy.maximum(peaks.get(groups[name], 0), peak)

    scaled = [name for name in groups if not name.startswith("/tower/mix") and not name.endswith("Conv_output_0")]
    observe(encoder.model, scaled, tiles, record)
    for node in encoder.convolutions:
        read, made = (peaks.get(groups.get(name, name)) for name in (node.input[0], node.output[0]))
        if made is not None:
            factor = factor_of(made)
            encoder.change(node.input[1], lambda weight, by=factor: weight / by[:, None, None, None])
            encoder.change(node.input[2], lambda bias, by=factor: bias / by)
        if read is not None:
            factor = factor_of(read)
            encoder.change(node.input[1], lambda weight, by=factor: weight * by[None, :, None, None])


def factor_of(peaks: Floats) -> Floats:
    held = numpy.maximum(peaks, numpy.median(peaks) / 20)
    return numpy.sqrt(held / numpy.exp(numpy.log(held).mean()))


def best_range(values: Floats) -> tuple[float, float]:
    """Of the whole range and shares of it the one with the smallest squared error of rounding and cutting off."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    shares = numpy.arange(1, 0.15, -0.05)
    ranges = [(low * below, high * above) for below in (shares if low < 0 else [1.0]) for above in shares]

    def error(ends: tuple[float, float]) -> float:
        scale = (ends[1] - ends[0]) / 255
        zero = round(-ends[0] / scale)
        return float((((((values / scale).round() + zero).clip(0, 255) - zero) * scale - values) ** 2).mean())

    return min(ranges, key=error)


def find_ranges(encoder: Encoder, tiles: NDArray[numpy.uint8]) -> Ranges:
    random = numpy.random.default_rng(0)
    seen_values: dict[str, list[Floats]] = {}

    def record(values_of: dict[str, Floats]) -> None:
        for name, values in values_of.items():
            flat = values.ravel()
            drawn = random.choice(flat, min(VALUES_A_RUN, flat.size), replace=False)
            # The ends are always among them.
            seen_values.setdefault(name, []).append(numpy.append(drawn, [flat.min(), flat.max()]).astype(numpy.float32))

    names = {name for node in encoder.quantised for name in (node.input[0], node.output[0])}
    names |= {node.output[0] for node in encoder.model.graph.node if node.op_type == "Relu" and node.input[0] in names}
    observe(encoder.model, sorted(names), tiles, record)
    return {name: best_range(numpy.concatenate(values)) for name, values in seen_values.items()}


def quantise(encoder: Encoder, ranges: Ranges) -> onnx.ModelProto:
    kept = {node.name for node in encoder.quantised}
    kept |= {
        node.name
        for node in encoder.model.graph.node
        if node.op_type == "Relu" and node.input[0] in {c.output[0] for c in encoder.quantised}
    }
    data = {
        name: TensorData(lowest=numpy.float32(low), highest=numpy.float32(high)) for name, (low, high) in ranges.items()
    }
    quantizer = QDQQuantizer(
        copy_of(encoder.model),
        per_channel=True,
        reduce_range=True,
        weight_qType=QuantType.QInt8,
        activation_qType=QuantType.QUInt8,
        tensors_range=TensorsData(CalibrationMethod.MinMax, data),
        nodes_to_quantize=sorted(kept),
        nodes_to_exclude=[],
        # Sums of the trunk stay float: rounding them again at every block costs more than adding them as bytes saves.
        op_types_to_quantize=["Conv", "Relu"],
        extra_options={},
    )
    quantizer.quantize_model()
    quantizer.model.topological_sort()
    return quantizer.model.model


def correct(encoder: Encoder, ranges: Ranges, tiles: NDArray[numpy.uint8]) -> None:
    """Removes from the biases the mean shift of rounded and clipped inputs, layer by layer (Nagel et al. 2019, 4.2)."""
    inputs = sorted({node.input[0] for node in encoder.quantised})
    wanted = channel_means(encoder.model, inputs, tiles)
    for node in encoder.quantised:
        model = quantise(encoder, ranges)
        [read] = [other.input[0] for other in model.graph.node if other.name == node.name]
        shift = channel_means(model, [read], tiles)[read] - wanted[node.input[0]]
        moved = encoder.read(node.input[1]).sum((2, 3)) @ shift
        encoder.change(node.input[2], lambda bias, by=moved: bias - by)


def channel_means(model: onnx.ModelProto, names: list[str], tiles: NDArray[numpy.uint8]) -> dict[str, Floats]:
    sums: dict[str, Floats] = {}

    def record(values_of: dict[str, Floats]) -> None:
        for name, values in values_of.items():
            sums[name] = sums.get(name, 0) + values.mean((2, 3)).sum(0)

    observe(model, names, tiles, record)
    return {name: total / len(tiles) for name, total in sums.items()}


def check(float_path: pathlib.Path, path: pathlib.Path, tiles: NDArray[numpy.uint8]) -> None:
    """Cosine of the features and difference of the boxes, over the cells that would be read; both times, in turns."""
    runs = [session(float_path), session(path)]
    results: list[list[list[Floats]]] = [[], []]
    times: list[list[float]] = [[], []]
    for start in range(0, len(tiles), BATCH):
        pixels = pixels_of(tiles[start : start + BATCH])
        for which, run in enumerate(runs):
            started = time.perf_counter()
            results[which].append(run.run(None, {PIXELS: pixels}))
            times[which].append((time.perf_counter() - started) / len(pixels) * 1e3)
    cells = tiles.reshape(-1, GRID, CELL, GRID, CELL, 3).transpose(0, 1, 3, 2, 4, 5).reshape(-1, CELL * CELL, 3)
    is_read = (cells.max(1).astype(int) - cells.min(1) > FLAT).any(1)
    (ours, our_boxes), (theirs, their_boxes) = (
        [numpy.concatenate(part).reshape(len(is_read), -1)[is_read] for part in zip(*r)] for r in results
    )
    assert ours.shape[1] == WIDTH
    cosine = (ours * theirs).sum(1) / numpy.linalg.norm(ours, axis=1) / numpy.linalg.norm(theirs, axis=1)
    boxes = numpy.abs(our_boxes - their_boxes)
    a, b = (sorted(t)[len(t) // 2] for t in times)
    print(
        f"{len(cosine)} cells: cosine {cosine.mean():.4f}, one in a hundred below {numpy.quantile(cosine, 0.01):.4f}, "
        f"least {cosine.min():.4f}"
    )
    print(
        f"boxes differ by {boxes.mean():.3f} cells; {path.stat().st_size / 1e6:.2f} MB; "
        f"{a:.1f} ms a tile in float, {b:.1f} in 8 bits, {a / b:.2f} x"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("encoder", type=pathlib.Path)
    parser.add_argument("tiles", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--check", nargs="+", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepared = pathlib.Path(folder) / "prepared.onnx"
        quant_pre_process(str(arguments.encoder), str(prepared))
        encoder = Encoder(onnx.load(prepared))
    tiles = read_tiles(arguments.tiles, arguments.names, TILES_LEARNED_FROM)
    equalise(encoder, tiles)
    ranges = find_ranges(encoder, tiles)
    correct(encoder, ranges, tiles)
    model = quantise(encoder, ranges)
    onnx.checker.check_model(model)
    onnx.save(model, arguments.out)
    for name in arguments.check:
        print(name, end=": ")
        check(arguments.encoder, arguments.out, read_tiles(arguments.tiles, [name], 60))


if __name__ == "__main__":
    main()
