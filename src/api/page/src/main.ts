// The live page of `mirab serve` and `mirab kube`.

import {mount} from 'svelte';
import {followAddress} from './address.svelte';
import App from './App.svelte';
import {connect} from './connection.svelte';

followAddress();
void connect();
const host = document.getElementById('live')!;
host.replaceChildren();
mount(App, {target: host});
