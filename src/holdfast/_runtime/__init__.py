"""What asyncio and threads do differently, kept as twins with the same names.

``aio`` and ``threads`` are the only modules that know which world they are in. Everything above
is written once, against these names, in ``_async`` and generated into ``_sync``.
"""
