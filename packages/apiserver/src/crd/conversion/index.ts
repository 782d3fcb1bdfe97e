/** Conversion between versions of a custom resource: by apiVersion only, or by a webhook. */

export { Conversions } from './conversions.ts';
export { noneConverter, type ObjectConverter } from './object-converter.ts';
export { type WebhookConverterOptions, webhookConverter } from './webhook-converter.ts';
