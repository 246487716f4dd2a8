"""dlpack - hands memory of a device to other libraries without a copy (the DLPack protocol)."""
import ctypes

CPU, CUDA = 1, 2  # kinds of devices in DLPack
SIGNED = 0  # kind of numbers
NAME, USED = b"dltensor", b"used_dltensor"  # of a capsule, before and after it is taken

_held = {}  # what each tensor refers to, until its consumer frees it


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class _Type(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device", _Device), ("n_dimensions", ctypes.c_int32),
                ("type", _Type), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64))


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.argtypes, _pointer_of.restype = (ctypes.c_void_p, ctypes.c_char_p), ctypes.c_void_p
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, _Destructor)
_new_capsule.restype = ctypes.py_object


@_Deleter
def _delete(managed):
    _held.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _destroy(capsule):
    """Frees the tensor of a capsule that no library has taken."""
    if _is_valid(capsule, NAME):
        _held.pop(_pointer_of(capsule, NAME), None)


def int32_capsule(address, shape, device, owner):
    """Returns a capsule with the array of int32 at an address on a device, a pair (kind, number). The
    owner of the memory is kept until the array is freed."""
    n = len(shape)
    managed = _Managed()
    lengths = (ctypes.c_int64 * n)(*shape)
    managed.tensor = _Tensor(address, _Device(*device), n, _Type(SIGNED, 32, 1), lengths, None, 0)
    managed.deleter = _delete
    at = ctypes.addressof(managed)
    _held[at] = (managed, lengths, owner)
    return _new_capsule(at, NAME, _destroy)
