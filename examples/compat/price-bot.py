"""A price bot for the DexScreener API, with Python's standard library alone.

It knows nothing of Mintwire: HOST is the line that was changed.

    HOST=http://localhost:8080/compat/ds python3 price-bot.py devnet 0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7
"""

import json
import os
import sys
import urllib.request

HOST = os.environ.get("HOST", "https://api.dexscreener.com")


def get(path):
    request = urllib.request.Request(HOST + path, headers={"User-Agent": "price-bot"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def find_best_pair(chain, token):
    """The deepest pair of the token on its chain, as such bots pick it."""
    pairs = get("/latest/dex/tokens/" + token).get("pairs") or []
    pairs = [pair for pair in pairs if pair["chainId"] == chain]
    return max(pairs, key=lambda pair: pair.get("liquidity", {}).get("usd", 0), default=None)


def main():
    chain, token = sys.argv[1], sys.argv[2]
    pair = find_best_pair(chain, token)
    if pair is None:
        sys.exit("No pair of " + token)
    pair = get("/latest/dex/pairs/" + chain + "/" + pair["pairAddress"])["pair"]
    change = pair["priceChange"].get("h24", 0)
    trades = pair["txns"]["h24"]
    print(
        "{} ${:.6f} ({:+.2f} %), {:,.0f} USD in {} trades, liquidity {:,.0f} USD".format(
            pair["baseToken"]["symbol"] + "/" + pair["quoteToken"]["symbol"],
            float(pair["priceUsd"]),
            change,
            pair["volume"]["h24"],
            trades["buys"] + trades["sells"],
            pair["liquidity"]["usd"],
        )
    )


main()
