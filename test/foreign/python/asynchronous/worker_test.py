import asyncio
import unittest

from worker import Session, double, gather_all, limited, ticks


class WorkerTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.session = Session()

    async def asyncTearDown(self):
        self.assertIn(self.session.state, ("new", "closed"))

    async def test_double(self):
        self.assertEqual(await double(21), 42)

    async def test_gather(self):
        self.assertEqual(await gather_all(double, [1, 2, 3]), [2, 4, 6])

    async def test_async_for(self):
        seen = []
        async for number in ticks(3):
            seen.append(number)
        self.assertEqual(seen, [0, 1, 2])

    async def test_async_with(self):
        async with self.session as session:
            self.assertEqual(session.state, "open")
            reply = await session.fetch("/a")
        self.assertEqual(reply, {"path": "/a", "status": 200})
        self.assertEqual(self.session.state, "closed")

    async def test_error(self):
        with self.assertRaisesRegex(ValueError, "bad path: a"):
            await self.session.fetch("a")

    async def test_own_coroutine(self):
        async def fine():
            return "fine"

        self.assertEqual(await limited(fine, 5), "fine")


class PlainTest(unittest.TestCase):
    def test_run(self):
        self.assertEqual(asyncio.run(double(2)), 4)
        self.assertTrue(asyncio.iscoroutinefunction(double))
