/** The ports of a server, and how they pass from one configuration to the next. */
export { type Listen, Listeners, type Wanted } from './listeners.ts';
export { localAddresses } from './local-addresses.ts';
