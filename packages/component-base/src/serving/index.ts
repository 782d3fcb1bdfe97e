/** The HTTPS port of a component: health, metrics, configuration, and who may see them. */
export { tlsCiphers, tlsMinVersion } from './tls-settings.ts';
