// Runs the feed's suite on every engine.

import { LocalFeed } from '../../src/live/local-feed.ts';
import { describeFeed } from './describe-feed.ts';

describeFeed('feed within one process', async () => {
  const errors: unknown[] = [];
  const feed = new LocalFeed({ onError: (error) => errors.push(error) });
  return {
    publisher: feed,
    subscriber: feed,
    settle: async () => undefined,
    errors,
    close: () => feed.close(),
  };
});
