# Prices and candles as Hummingbot gets them for a DEX: a price the way Gateway's Jupiter connector
# asks for it (a quote with ExactIn for SELL, with ExactOut for BUY), candles the way its feeds ask
# GeckoTerminal. Only the two base URLs are not theirs. Python's standard library is enough.
#
#   python3 examples/hummingbot-prices.py <network> <base mint> <quote mint> <amount>
#
# MINTWIRE_ORIGIN is http://127.0.0.1:8080 by default.

import json
import os
import sys
import urllib.parse
import urllib.request

ORIGIN = os.environ.get('MINTWIRE_ORIGIN', 'http://127.0.0.1:8080')
JUPITER = f'{ORIGIN}/compat/jup'  # https://api.jup.ag
GECKOTERMINAL = f'{ORIGIN}/compat/gt/api/v2'  # https://api.geckoterminal.com/api/v2
SLIPPAGE_PCT = 1


def get(url, query=None):
    text = '' if query is None else f'?{urllib.parse.urlencode(query)}'
    with urllib.request.urlopen(f'{url}{text}') as answer:
        return json.load(answer)


def quote_swap(base, quote, amount, side):
    """What Gateway answers for /connectors/jupiter/router/quote-swap."""
    sold, bought = (base, quote) if side == 'SELL' else (quote, base)
    found = get(
        f'{JUPITER}/swap/v1/quote',
        {
            'inputMint': sold['id'],
            'outputMint': bought['id'],
            'amount': int(amount * 10 ** base['decimals']),
            'slippageBps': SLIPPAGE_PCT * 100,
            'swapMode': 'ExactIn' if side == 'SELL' else 'ExactOut',
            'restrictIntermediateTokens': 'true',
        },
    )
    amount_in = int(found['inAmount']) / 10 ** sold['decimals']
    amount_out = int(found['outAmount']) / 10 ** bought['decimals']
    limit = int(found['otherAmountThreshold'])
    return {
        'side': side,
        'amountIn': amount_in,
        'amountOut': amount_out,
        'price': amount_out / amount_in if side == 'SELL' else amount_in / amount_out,
        'minAmountOut': limit / 10 ** bought['decimals'] if side == 'SELL' else amount_out,
        'maxAmountIn': amount_in if side == 'SELL' else limit / 10 ** sold['decimals'],
        'priceImpactPct': float(found['priceImpactPct']) * 100,
        'route': [step['swapInfo']['label'] for step in found['routePlan']],
    }


def read_candles(network, mint, count):
    """Rows of a feed, the oldest first: seconds, open, high, low, close, volume in USD."""
    pools = get(f'{GECKOTERMINAL}/networks/{network}/tokens/{mint}/pools')['data']
    pool = pools[0]['attributes']['address']
    found = get(
        f'{GECKOTERMINAL}/networks/{network}/pools/{pool}/ohlcv/minute',
        {'aggregate': 1, 'limit': count, 'currency': 'usd', 'token': mint},
    )
    return pool, found['data']['attributes']['ohlcv_list'][::-1]


def main(network, base_mint, quote_mint, amount):
    found = get(f'{JUPITER}/tokens/v2/search', {'query': f'{base_mint},{quote_mint}'})
    tokens = {token['id']: token for token in found}
    base, quote = tokens[base_mint], tokens[quote_mint]
    for side in ('SELL', 'BUY'):
        print(json.dumps(quote_swap(base, quote, float(amount), side)))
    pool, candles = read_candles(network, base_mint, 100)
    print(json.dumps({'pool': pool, 'candles': candles}))


if len(sys.argv) != 5:
    sys.exit('usage: python3 examples/hummingbot-prices.py <network> <base> <quote> <amount>')
main(*sys.argv[1:])
