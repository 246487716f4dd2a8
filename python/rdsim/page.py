"""page - the page of a model in a notebook: species, reactions, parameters and a sketch of the grid."""
import html


def table(title, names):
    """Returns a table with one row for each name; "" without names."""
    rows = "".join(f"<tr><td>{html.escape(name)}</td></tr>" for name in names)
    return f"<table><tr><th>{title}</th></tr>{rows}</table>" if names else ""


def sketch(voxels, edge):
    """Returns a drawing of the box, with its size along each axis."""
    length = [n * e for n, e in zip(voxels, edge)]
    scale = 120 / max(length)
    w, h, d = (max(scale * each, 2) for each in (length[0], length[1], length[2] / 2))
    if voxels[2] == 1:
        d = 0
    lines = [(0, d, w, d), (0, d + h, w, d + h), (0, d, 0, d + h), (w, d, w, d + h)]
    if d > 0:
        lines += [(0, d, d, 0), (w, d, w + d, 0), (w, d + h, w + d, h), (d, 0, w + d, 0),
                  (w + d, 0, w + d, h)]
    drawn = "".join(f'<line x1="{a + 2:.1f}" y1="{b + 2:.1f}" x2="{p + 2:.1f}" y2="{q + 2:.1f}" '
                    'stroke="currentColor"/>' for a, b, p, q in lines)
    size = " x ".join(f"{each:g}" for each in length)
    return (f'<svg width="{w + d + 4:.0f}" height="{h + d + 4:.0f}">{drawn}</svg><div>'
            f"{' x '.join(map(str, voxels))} voxels, {size}</div>")


def model_page(handle, name):
    """Returns the page of an open model."""
    _, voxels, edge, _ = handle.grid()
    value = handle.ffi.new("double *")
    parameters = [f"{each} = {handle.call('parameter', each.encode(), value) or value[0]:g}"
                  for each in handle.names("parameters")]
    tables = (table("species", handle.names("species")),
              table("reactions", handle.names("reactions")),
              table("parameters", parameters), table("regions", handle.names("regions")))
    return (f"<div><b>{html.escape(name)}</b>{sketch(voxels, edge)}"
            f'<div style="display:flex;gap:1em">{"".join(tables)}</div></div>')
