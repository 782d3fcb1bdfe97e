import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1035Label,
  notSupported,
  type Path,
  required,
} from '@coxswain/apimachinery';
import { validateWebhookClientConfig } from '../../admissionregistration/v1/client-config.ts';
import type { CustomResourceConversion } from '../../generated/apiextensions/v1.ts';
import { validateCABundle } from './ca-bundle.ts';
import type { Strictness } from './strictness.ts';

const strategies = ['None', 'Webhook'];
const reviewVersions = ['v1', 'v1beta1'];

/** How versions become each other. Paths are those of upstream's internal form, in which `webhook` has no level of its own. */
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
  if (versions.length === 0) return [...errors, required(versionsPath)];
  versions.forEach((version, i) => {
    const isRepeated = versions.indexOf(version) < i;
    const problems = isRepeated ? ['duplicate version'] : isDns1035Label(version);
    for (const problem of problems) errors.push(invalid(versionsPath.index(i), version, problem));
  });
  if (strictness.recognizedReviewVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(versionsPath, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return errors;
}
