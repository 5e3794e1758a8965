"""What libraries for vision and transformers ask of a device."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def library():
    """An operator of a library that needs one type, known to autocast on the CPU alone."""
    from torch_fl.flagos._libraries import compute_in_float32

    made = torch.library.Library("flagos_library", "DEF")
    made.define("overlap(Tensor boxes, Tensor[] scores, float least) -> (Tensor, Tensor)")

    def overlap(boxes, scores, least):
        if any(score.dtype != boxes.dtype for score in scores):
            raise TypeError("the types differ")
        return boxes * torch.stack(scores).sum(0) + least, (boxes > 0).sum()

    made.impl("overlap", overlap, "CompositeExplicitAutograd")
    made.impl("overlap", overlap, "AutocastCPU")
    return made, compute_in_float32("flagos_library")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("is_compiled", [False, True], ids=["eager", "compiled"])
def test_operators_of_a_library_under_autocast(device, library, dtype, is_compiled):
    boxes = torch.randn(4, 4, dtype=dtype, device=device)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    scores = [torch.rand(4, 4, dtype=kind, device=device) for kind in (wide, dtype)]
    call = torch.ops.flagos_library.overlap
    if is_compiled:
        torch._dynamo.reset()
        call = torch.compile(lambda *given: torch.ops.flagos_library.overlap(*given), backend="flagos")
    with torch.autocast(device, dtype=torch.bfloat16):
        found, count = call(boxes, scores, 0.5)
    assert found.dtype == dtype and count.dtype == torch.int64
    torch.testing.assert_close(found, (boxes.to(wide) * (scores[0] + scores[1].to(wide)) + 0.5).to(dtype))
    if dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(TypeError, match="types differ"):
            torch.ops.flagos_library.overlap(boxes, scores, 0.5)


def test_kernels_that_are_there_stay(device, library):
    from torch_fl.flagos._libraries import compute_in_float32

    assert compute_in_float32("flagos_library") is None
    assert compute_in_float32("a library without operators") is None


def test_operators_of_torchvision(device):
    ops = pytest.importorskip("torchvision.ops")
    boxes = torch.tensor([[0.0, 0, 9, 9], [1, 1, 9, 9], [2, 2, 5, 5]])
    scores, image = torch.tensor([0.9, 0.8, 0.7]), torch.randn(1, 2, 10, 10)
    assert ops.nms(boxes.to(device), scores.to(device), 0.5).tolist() == ops.nms(boxes, scores, 0.5).tolist()
    with torch.autocast(device, dtype=torch.bfloat16):
        found = ops.roi_align(image.to(device).bfloat16(), [boxes.to(device)], 3)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.cpu().float(), ops.roi_align(image, [boxes], 3), rtol=2e-2, atol=2e-2)


@pytest.mark.cpu_memory
def test_types_of_the_device(device):
    types = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert {torch.float32, torch.bfloat16, torch.float16, torch.complex64, torch.int64, torch.bool} <= types
    assert not {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2} & types


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("padded", [(4, 2), (6, 6)], ids=["padding", "none"])
def test_encoder_for_inference_with_a_mask(device, padded):
    """Torch's encoder makes nested tensors of padded input on its own, which the device lacks."""
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2).eval()
    x = torch.randn(2, 6, 16)
    mask = torch.stack([torch.arange(6) >= length for length in padded])
    with torch.no_grad():
        wanted = encoder(x, src_key_padding_mask=mask)
        found = encoder.to(device)(x.to(device), src_key_padding_mask=mask.to(device)).cpu()
    torch.testing.assert_close(found[~mask], wanted[~mask], rtol=1e-4, atol=1e-4)


def test_nested_tensors_of_a_mask_are_refused(device):
    x, mask = torch.randn(2, 3, 4, device=device), torch.ones(2, 3, dtype=torch.bool, device=device)
    with pytest.raises(NotImplementedError, match=r"layout=torch\.jagged"):
        torch._nested_tensor_from_mask(x, mask)
