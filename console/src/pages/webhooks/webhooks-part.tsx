// What a wallet has of webhooks, and the dialog of alerts. They are one file for the browser: they
// share texts and parts that nothing else needs.

import { AlertDialog } from './alert-dialog.tsx';
import { OwnWebhooks } from './own-webhooks.tsx';

export const webhooksPart = { OwnWebhooks, AlertDialog };
