"""Writes one golden file: the oracle's name and version, the script, and the vectors."""
import json
import platform
from pathlib import Path


def write(name, oracle, script, vectors):
    path = Path(__file__).resolve().parent.parent / "golden" / f"{name}.json"
    head = {"oracle": f"{oracle}, Python {platform.python_version()}", "script": f"oracle/{Path(script).resolve().relative_to(Path(__file__).resolve().parent)}"}
    rows = ",\n".join("    " + json.dumps(v, allow_nan=False) for v in vectors)
    body = json.dumps(head, indent=2)[:-2]
    path.write_text(f'{body},\n  "vectors": [\n{rows}\n  ]\n}}\n')
    print(f"{path.name}: {len(vectors)} vectors")
