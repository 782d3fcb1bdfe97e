import {
  compileNormalizer,
  defineType,
  GroupVersion,
  identityConversion,
  type KubernetesObject,
  Scheme,
} from '@coxswain/apimachinery';
import { behaviours } from './behaviours.ts';
import { conversionFor, defaulterFor, strategyFor } from './built-in-kinds.ts';
import { Catalogue, type Kind } from './catalogue/catalogue.ts';
import { selectBy } from './strategy/field-labels.ts';

/** Kinds of responses and discovery documents: the same in every group version. */
const unversioned = ['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList'];

export interface SchemeOptions {
  readonly name?: string;
  /** The clock for the few defaults that are the current time; the system clock by default. */
  readonly now?: () => Date;
}

/**
 * Returns a new scheme with every built-in kind: types, defaults, conversions through each kind's hub, field selectors.
 * Versions that upstream does not serve by default are disabled. The caller may add kinds to it.
 */
export function newScheme({ name = 'coxswain', now }: SchemeOptions = {}): Scheme {
  const scheme = new Scheme(name);
  const catalogue = Catalogue.builtIn();
  const core = GroupVersion.of('', 'v1');
  scheme.addUnversionedTypes(core, ...unversioned.map((kind) => defineType(`meta.v1.${kind}`)));
  for (const kind of catalogue.kinds()) addKind(scheme, kind, now);
  for (const { group, version, fieldLabels } of behaviours) {
    for (const [kind, conversion] of Object.entries(fieldLabels ?? {})) {
      scheme.addFieldLabelConversion(GroupVersion.of(group, version).withKind(kind), conversion);
    }
  }
  const versions = catalogue.groupVersions.map(({ group, version }) => GroupVersion.of(group, version));
  for (const group of new Set(versions.map((version) => version.group))) {
    scheme.setVersionPriority(...versions.filter((version) => version.group === group));
  }
  scheme.disableVersions(...versions.filter((version) => !catalogue.enabledByDefault(version)));
  return scheme;
}

function addKind(scheme: Scheme, { gvk, hub, schema, resource }: Kind, now: SchemeOptions['now']): void {
  const type = defineType<KubernetesObject>(schema.fullName, () => compileNormalizer(schema)({}).object);
  scheme.addKnownTypeWithName(gvk, type);
  const defaulter = defaulterFor(gvk);
  if (defaulter) scheme.addDefaulter(type, now ? (object) => defaulter(object, now) : defaulter);
  if (gvk !== hub) scheme.addHubConversion(gvk, hub, conversionFor(gvk) ?? identityConversion);
  const selectable = strategyFor(hub)?.selectableFields;
  if (selectable) {
    const everywhere = resource?.namespaced === false ? ['metadata.name'] : ['metadata.name', 'metadata.namespace'];
    scheme.addFieldLabelConversion(gvk, selectBy([...everywhere, ...Object.keys(selectable)]));
  }
}
