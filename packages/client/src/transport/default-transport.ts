import type { RestConfig } from '../config/rest-config.ts';
import { FetchTransport } from './fetch-transport.ts';
import type { Transport } from './transport.ts';

/** The transport of this platform: what browsers have. */
export const newPlatformTransport = (config: RestConfig): Transport => new FetchTransport(config);

/** A browser says itself who it is, and lets nobody change it. */
export const platformUserAgent = (): string | undefined => undefined;
