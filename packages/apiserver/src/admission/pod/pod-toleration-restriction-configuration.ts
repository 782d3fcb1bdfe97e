import { validateTolerations } from '@coxswain/api';
import { type ErrorList, Path } from '@coxswain/apimachinery';
import { ofKind, type PluginConfigurationSource } from '../admission-configuration.ts';
import type { PodTolerationRestrictionConfiguration } from './pod-toleration-restriction.ts';
import { tolerationFrom } from './tolerations.ts';

const versions = ['podtolerationrestriction.admission.k8s.io/v1alpha1'];

/** Reads the tolerations for namespaces without annotations. Throws an Error with all problems. */
export function readTolerationRestriction(
  source: PluginConfigurationSource | undefined,
): PodTolerationRestrictionConfiguration {
  if (!source) return { default: [], whitelist: [] };
  const reader = ofKind(source, versions, 'Configuration');
  const errors: ErrorList = [];
  const read = (field: string) => {
    const tolerations = reader.objects(field).map(({ raw }) => tolerationFrom(raw));
    validateTolerations(tolerations, Path.of('podtolerationrestriction', field), {}, errors);
    return tolerations;
  };
  const configuration = { default: read('default'), whitelist: read('whitelist') };
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(String).join(' ')}]`);
  return configuration;
}
