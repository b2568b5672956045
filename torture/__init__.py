"""The library under torture: inputs by the million, of which none may crash, hang or swell it.

    python -m torture --seconds 60 --seed 1 --only readers

A phase is a function of a random generator and a deadline that tells how its cases ended (see
`torture.outcomes`). A new one is a module with such a function, and a line in `torture.__main__`.
Cases that could take the process with them run in a child (see `torture.children`).
"""
