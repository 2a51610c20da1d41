import unittest
from unittest.mock import MagicMock, patch

import weather


class WeatherTest(unittest.TestCase):
    @patch("weather.fetch")
    def test_temperature(self, fetch):
        fetch.return_value = {"temp": 21}
        self.assertEqual(weather.temperature("Rome"), 21)
        fetch.assert_called_once_with("Rome")

    def test_warmest(self):
        data = {"Rome": 25, "Oslo": 4, "Cairo": 33}
        with patch.object(weather, "fetch", side_effect=lambda city: {"temp": data[city]}) as fetch:
            self.assertEqual(weather.warmest(["Rome", "Oslo", "Cairo"]), "Cairo")
        self.assertEqual(fetch.call_count, 3)

    @patch("weather.time.sleep")
    @patch("weather.temperature", side_effect=[1, 2, 3])
    def test_poll(self, temperature, sleep):
        self.assertEqual(weather.poll("X", 3), [1, 2, 3])
        sleep.assert_called_with(60)
        self.assertEqual(sleep.call_count, 3)

    @patch.dict("weather.SETTINGS", {"unit": "F"})
    @patch("weather.temperature", return_value=100)
    def test_fahrenheit(self, temperature):
        self.assertEqual(weather.shown("X"), "212 F")

    @patch("weather.temperature", new=lambda city: 3)
    def test_celsius(self):
        self.assertEqual(weather.shown("X"), "3 C")

    @patch("weather.request.urlopen")
    def test_fetch(self, urlopen):
        reply = MagicMock()
        reply.__enter__.return_value.read.return_value = b'{"temp": 5}'
        urlopen.return_value = reply
        self.assertEqual(weather.fetch("Bonn"), {"temp": 5})
        urlopen.assert_called_once()
        self.assertTrue(urlopen.call_args[0][0].endswith("/Bonn"))
