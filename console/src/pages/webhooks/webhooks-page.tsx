// Webhooks and alerts of the signed-in wallet.

import { createLazyPart } from '../../lazy-part.tsx';
import { NoAccount } from '../../parts/no-account.tsx';
import { me } from '../../state/account.ts';
import { texts } from '../../texts.ts';

const loadPart = () => import('./webhooks-part.tsx');

const OwnWebhooks = createLazyPart(async () => (await loadPart()).webhooksPart.OwnWebhooks);

// Asked for at once: it is there when the server has said who is signed in.
void loadPart().catch(() => undefined);

export function WebhooksPage() {
  return (
    <div class="page">
      <h1>{texts.webhooks.title}</h1>
      {me.value === null ? <NoAccount {...texts.webhooks} /> : <OwnWebhooks />}
    </div>
  );
}
