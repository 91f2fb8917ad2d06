"""ResNets: names and shapes of torchvision's, the forward pass written out again, the stride."""

import math

import pytest
import torch
from torch.fx import symbolic_trace
from torch.nn import functional

from fedfact.models.resnet import BasicBlock, ResNet, resnet18_small, resnet50

DEPTHS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}


def table(depth, classes, stem=7):
    """Names and shapes of torchvision's state dict, in order, from the table of the paper."""
    shapes = {}

    def conv_and_norm(before, conv, norm, outputs, inputs, size):
        shapes[f"{before}{conv}.weight"] = (outputs, inputs, size, size)
        for part in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{before}{norm}.{part}"] = (outputs,)
        shapes[f"{before}{norm}.num_batches_tracked"] = ()

    conv_and_norm("", "conv1", "bn1", 64, 3, stem)
    inputs = 64
    for stage, width in enumerate((64, 128, 256, 512)):
        if depth == 18:
            outputs, kernels = width, [(width, 3), (width, 3)]
        else:
            outputs, kernels = 4 * width, [(width, 1), (width, 3), (4 * width, 1)]
        for index in range(DEPTHS[depth][stage]):
            block, source = f"layer{stage + 1}.{index}.", inputs
            for k, (channels, size) in enumerate(kernels, start=1):
                conv_and_norm(block, f"conv{k}", f"bn{k}", channels, source, size)
                source = channels
            if inputs != outputs:
                conv_and_norm(block, "downsample.0", "downsample.1", outputs, inputs, 1)
            inputs = outputs
    shapes["fc.weight"] = (classes, inputs)
    shapes["fc.bias"] = (classes,)
    return shapes


def shaped(make):
    """A network without memory, for its shapes."""
    with torch.device("meta"):
        return make()


def large_resnet18(classes):
    return ResNet(BasicBlock, 64, (2, 2, 2, 2), classes)


@pytest.mark.parametrize(
    ("make", "expected", "tensors", "parameters"),
    [
        (lambda: large_resnet18(1000), table(18, 1000), 122, 11_689_512),
        (lambda: resnet18_small(10), table(18, 10, stem=3), 122, 11_173_962),
        (lambda: resnet50(1000), table(50, 1000), 320, 25_557_032),
        (lambda: resnet50(7, stride_in_first=True), table(50, 7), 320, 23_522_375),
    ],
    ids=["resnet18", "resnet18 small", "resnet50", "resnet50 strided first"],
)
def test_names_and_shapes_are_torchvisions(make, expected, tensors, parameters):
    model = shaped(make)
    found = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    assert list(found.items()) == list(expected.items())
    assert len(found) == tensors
    assert sum(p.numel() for p in model.parameters()) == parameters


def unusual(model):
    """The model with batch norms that are not the identity."""
    generator = torch.Generator().manual_seed(5)
    for name, tensor in model.state_dict().items():
        if "bn" in name or "downsample.1" in name:
            values = torch.rand(tensor.shape, generator=generator)
            if name.endswith(("weight", "running_var")):
                tensor.copy_(0.5 + values)
            elif name.endswith(("bias", "running_mean")):
                tensor.copy_(0.4 * values - 0.2)
    return model


def written_out(state, images, *, stem_stride, strided_conv, batch_statistics):
    """The forward pass again, from the state dict; ``strided_conv`` takes a stage's stride."""

    def conv(name, x, stride):
        kernel = state[f"{name}.weight"]
        return functional.conv2d(x, kernel, stride=stride, padding=(kernel.shape[-1] - 1) // 2)

    def norm(name, x):
        mean, variance = (state[f"{name}.running_{part}"] for part in ("mean", "var"))
        if batch_statistics:
            variance, mean = torch.var_mean(x, dim=(0, 2, 3), correction=0)
        scale = state[f"{name}.weight"] / torch.sqrt(variance + 1e-5)
        shift = state[f"{name}.bias"] - mean * scale
        return x * scale[:, None, None] + shift[:, None, None]

    x = norm("bn1", conv("conv1", images, stem_stride)).clamp(min=0)
    if stem_stride == 2:
        x = functional.max_pool2d(x, kernel_size=3, stride=2, padding=1)
    blocks = [name.removesuffix(".conv1.weight") for name in state if ".conv1.weight" in name]
    for block in blocks:
        stride = 2 if block in ("layer2.0", "layer3.0", "layer4.0") else 1
        last = 3 if f"{block}.conv3.weight" in state else 2
        y = x
        for k in range(1, last + 1):
            y = conv(f"{block}.conv{k}", y, stride if k == strided_conv else 1)
            y = norm(f"{block}.bn{k}", y)
            y = y.clamp(min=0) if k < last else y
        if f"{block}.downsample.0.weight" in state:
            x = norm(f"{block}.downsample.1", conv(f"{block}.downsample.0", x, stride))
        x = (y + x).clamp(min=0)
    features = x.flatten(2).sum(2) / (x.shape[2] * x.shape[3])
    return features @ state["fc.weight"].T + state["fc.bias"]


NETWORKS = pytest.mark.parametrize(
    ("make", "stem_stride", "strided_conv"),
    [
        (lambda: resnet18_small(10), 1, 1),
        (lambda: large_resnet18(10), 2, 1),
        (lambda: resnet50(7), 2, 2),
        (lambda: resnet50(7, stride_in_first=True), 2, 1),
    ],
    ids=["resnet18 small", "resnet18", "resnet50", "resnet50 strided first"],
)


@NETWORKS
def test_forward_is_the_one_written_out(make, stem_stride, strided_conv):
    torch.manual_seed(3)
    model = unusual(make()).double()
    # Sides that do not divide by 2 show where paddings and strides are.
    height, width = (33, 38) if stem_stride == 2 else (9, 11)
    images = torch.randn(2, 3, height, width, dtype=torch.float64)
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for training in (False, True):
        with torch.no_grad():
            logits = model.train(training)(images)
            again = written_out(
                state,
                images,
                stem_stride=stem_stride,
                strided_conv=strided_conv,
                batch_statistics=training,
            )
        assert logits.std() > 1e-3
        torch.testing.assert_close(logits, again, rtol=1e-9, atol=1e-9)
    assert model.bn1.num_batches_tracked == 1
    assert not torch.equal(model.bn1.running_mean, state["bn1.running_mean"])


@NETWORKS
def test_one_path_and_any_memory_format(make, stem_stride, strided_conv):
    torch.manual_seed(4)
    model = unusual(make()).eval()
    images = torch.randn(2, 3, 40, 32)
    with torch.no_grad():
        logits = model(images)
        # Tracing fails where the path hangs on values, which no CUDA graph could follow.
        assert torch.equal(symbolic_trace(model)(images), logits)
        last = model.to(memory_format=torch.channels_last)
        assert last.layer4[0].conv2.weight.is_contiguous(memory_format=torch.channels_last)
        seen = []
        handle = last.layer4.register_forward_hook(lambda *call: seen.append(call[-1]))
        moved = last(images.contiguous(memory_format=torch.channels_last))
        handle.remove()
        torch.testing.assert_close(moved, logits, rtol=1e-3, atol=1e-4 * logits.abs().max())
        assert seen[0].is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    ("make", "side", "sizes"),
    [
        (lambda: resnet18_small(10), 32, (32, 32, 32, 16, 8, 4)),
        (lambda: resnet50(7), 224, (112, 56, 56, 28, 14, 7)),
        (lambda: resnet50(7, stride_in_first=True), 224, (112, 56, 56, 28, 14, 7)),
        (lambda: resnet50(7), 64, (32, 16, 16, 8, 4, 2)),
    ],
)
def test_sizes_of_feature_maps(make, side, sizes):
    model, seen = shaped(make), {}
    for name in ("conv1", "maxpool", "layer1", "layer2", "layer3", "layer4"):
        module = model.get_submodule(name)
        module.register_forward_hook(lambda m, i, out, name=name: seen.update({name: out.shape}))
    logits = model(torch.empty(5, 3, side, side, device="meta"))
    assert logits.shape == (5, model.fc.out_features)
    assert tuple(shape[2] for shape in seen.values()) == sizes
    assert all(shape[2] == shape[3] for shape in seen.values())


@pytest.mark.parametrize("stride_in_first", [False, True])
def test_where_the_bottleneck_halves_the_image(stride_in_first):
    model = shaped(lambda: resnet50(7, stride_in_first=stride_in_first))
    strided = {
        name
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Conv2d) and module.stride != (1, 1)
    }
    conv = "conv1" if stride_in_first else "conv2"
    expected = {f"layer{k}.0.{part}" for k in (2, 3, 4) for part in (conv, "downsample.0")}
    assert strided == {"conv1", *expected}


@pytest.mark.parametrize(
    ("make", "side"), [(lambda: resnet18_small(10), 16), (lambda: resnet50(7), 64)]
)
def test_every_parameter_gets_a_gradient(make, side):
    torch.manual_seed(0)
    model = make()
    logits = model(torch.randn(4, 3, side, side))
    functional.cross_entropy(logits, torch.tensor([0, 1, 2, 3])).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 0, name


def test_initial_values_are_hes():
    torch.manual_seed(1)
    for model in (resnet18_small(10), resnet50(7)):
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.Conv2d):
                outputs, size = module.out_channels, module.kernel_size[0]
                expected = math.sqrt(2 / (outputs * size * size))
                assert module.weight.std().item() == pytest.approx(expected, rel=0.06), name
                assert abs(module.weight.mean().item()) < 0.1 * expected, name
                # Uniform values of this spread would stay within 1.74 deviations.
                assert module.weight.abs().max() > 2.5 * expected, name
            if isinstance(module, torch.nn.BatchNorm2d):
                assert (module.weight == 1).all()
                assert (module.bias == 0).all()
        bound = 1 / math.sqrt(model.fc.in_features)
        assert 0.9 * bound < model.fc.weight.abs().max() <= bound


def test_initial_values_follow_torchs_seed():
    def values(seed):
        torch.manual_seed(seed)
        return torch.cat([p.flatten() for p in resnet18_small(10).parameters()])

    assert torch.equal(values(7), values(7))
    assert not torch.equal(values(7), values(8))
