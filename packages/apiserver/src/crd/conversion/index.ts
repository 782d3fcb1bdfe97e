/** From one version of a custom resource to another: by name only, or by a webhook. */

export { Conversions } from './conversions.ts';
export { noneConverter, type ObjectConverter } from './object-converter.ts';
export { type WebhookConverterOptions, webhookConverter } from './webhook-converter.ts';
