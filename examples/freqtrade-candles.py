# Candles of a token as freqtrade's backtesting reads them: `<pair>-<timeframe>.json` in its data
# folder, rows of [milliseconds, open, high, low, close, volume], the oldest first. Python's
# standard library is enough.
#
#   python3 examples/freqtrade-candles.py devnet:0x… WIRE/USD 1m user_data/data/mintwire
#   freqtrade backtesting --datadir user_data/data/mintwire --data-format-ohlcv json …
#
# Run it again to add what is new. MINTWIRE_URL is http://127.0.0.1:8080/v1 by default.

import json
import os
import sys
import urllib.parse
import urllib.request

URL = os.environ.get('MINTWIRE_URL', 'http://127.0.0.1:8080/v1')
PAGE = 1000


def read_klines(chain, mint, interval, start_ms):
    query = {
        'chain': chain,
        'mint': mint,
        'interval': interval,
        'currency': 'usd',
        # Freqtrade expects a row for every interval.
        'fill': 'previous',
        'startTime': start_ms,
        'limit': PAGE,
    }
    with urllib.request.urlopen(f'{URL}/token/klines?{urllib.parse.urlencode(query)}') as answer:
        return json.load(answer)['klines']


def read_all(chain, mint, interval, start_ms):
    rows = []
    while True:
        page = read_klines(chain, mint, interval, start_ms)
        # A candle that is not closed changes yet.
        rows += [kline for kline in page if kline['closed']]
        if len(page) < PAGE:
            return rows
        start_ms = page[-1]['openTime'] + 1


def to_row(kline):
    # Floats, as freqtrade has them. A token without decimals has no volume.
    prices = [float(kline[name]) for name in ('open', 'high', 'low', 'close')]
    return [kline['openTime'], *prices, float(kline['volume'] or 0)]


def main(token, pair, timeframe, folder):
    chain, mint = token.split(':', 1)
    name = pair.replace('/', '_')
    # On disk a month is `Mo`.
    path = os.path.join(folder, f"{name}-{timeframe.replace('M', 'Mo')}.json")
    rows = []
    if os.path.exists(path):
        with open(path, encoding='utf8') as file:
            rows = json.load(file)
    start_ms = rows[-1][0] + 1 if rows else 0
    rows += [to_row(kline) for kline in read_all(chain, mint, timeframe, start_ms)]
    os.makedirs(folder, exist_ok=True)
    with open(f'{path}.new', 'w', encoding='utf8') as file:
        json.dump(rows, file)
    os.replace(f'{path}.new', path)
    print(f'{path}: {len(rows)} candles')


if len(sys.argv) != 5:
    sys.exit('usage: python3 examples/freqtrade-candles.py <chain:mint> <pair> <timeframe> <folder>')
main(*sys.argv[1:])
