import { quote } from '@coxswain/apimachinery';
import { type Check, type CheckPod, contextsOf, plural, quoted, settersOf, sortedSet } from './check.ts';

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const isGoodType = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';
const isGoodAnnotation = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const checkAppArmorProfile: CheckPod = ({ metadata, spec }) => {
  const setters = settersOf(spec, ({ appArmorProfile }) => !!appArmorProfile && !isGoodType(appArmorProfile.type));
  const types = contextsOf(spec).flatMap(({ appArmorProfile }) => appArmorProfile?.type ?? []);
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(annotationPrefix) && !isGoodAnnotation(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  if (!setters && annotations.length === 0) return undefined;
  const values = [...sortedSet(types.filter((type) => !isGoodType(type))), ...annotations];
  const all = [setters, annotations.length > 0 ? plural(annotations.length, 'annotation') : ''].filter(Boolean);
  return {
    reason: plural(values.length, 'forbidden AppArmor profile'),
    detail: `${all.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [{ since: 0, check: checkAppArmorProfile }],
};
