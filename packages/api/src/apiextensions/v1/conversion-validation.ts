import { type ErrorList, forbidden, notSupported, type Path, required } from '@coxswain/apimachinery';
import { validateWebhookClientConfig } from '../../admissionregistration/v1/client-config.ts';
import { validateReviewVersions } from '../../admissionregistration/v1/review-versions.ts';
import type { CustomResourceConversion } from '../../generated/apiextensions/v1.ts';
import { validateCABundle } from './ca-bundle.ts';
import type { Strictness } from './strictness.ts';

const strategies = ['None', 'Webhook'];

/** Validates the conversion of a definition. Paths are those of upstream's internal type, which has no level `webhook`. */
export function validateConversion(
  conversion: CustomResourceConversion,
  strictness: Strictness,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  const { strategy, webhook } = conversion;
  const config = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  const configPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  if (!strategy) errors.push(required(path.child('strategy')));
  else if (!strategies.includes(strategy)) errors.push(notSupported(path.child('strategy'), strategy, strategies));
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (config) errors.push(forbidden(configPath, detail));
    if (versions.length > 0) errors.push(forbidden(versionsPath, detail));
    return errors;
  }
  if (!config) errors.push(required(configPath, 'required when strategy is set to Webhook'));
  else {
    errors.push(...validateWebhookClientConfig(config, configPath));
    if (config.caBundle && strictness.validCABundle) {
      errors.push(...validateCABundle(config.caBundle, configPath.child('caBundle')));
    }
  }
  const options = { mustBeRecognized: strictness.recognizedReviewVersion, ifMissing: '' };
  return [...errors, ...validateReviewVersions(versions, options, versionsPath)];
}
