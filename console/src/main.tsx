// Mounts the console.

import '@preact/signals';
import { render } from 'preact';
import { AppShell } from './app-shell.tsx';
import { startClock } from './clock-tick.ts';
import { watchLocation } from './current-location.ts';
import { findAccount } from './state/account.ts';
import { followChains } from './state/chains.ts';
import { followWatchList } from './state/watch-list.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no #app');
watchLocation();
startClock();
void followChains();
followWatchList();
void findAccount();
render(<AppShell />, root);
