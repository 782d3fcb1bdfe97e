/** What there is of an admission plug-in of upstream's. */
export interface KnownAdmissionPlugin {
  /** On unless it is disabled. */
  readonly byDefault: boolean;
  /** Whether this server has it. */
  readonly here: boolean;
}

const onHere: KnownAdmissionPlugin = { byDefault: true, here: true };
const offHere: KnownAdmissionPlugin = { byDefault: false, here: true };
const onElsewhere: KnownAdmissionPlugin = { byDefault: true, here: false };

/**
 * All names that `--enable-admission-plugins` and `--disable-admission-plugins` may have, in the order in which plug-ins
 * run, whatever the order of the flags. Which function makes one is in `server/default-admission.ts`.
 */
export const knownAdmissionPlugins: ReadonlyMap<string, KnownAdmissionPlugin> = new Map([
  // It does nothing, by its own definition.
  ['AlwaysAdmit', offHere],
  ['NamespaceAutoProvision', offHere],
  ['NamespaceLifecycle', onHere],
  ['NamespaceExists', offHere],
  ['LimitPodHardAntiAffinityTopology', offHere],
  ['LimitRanger', onHere],
  ['ServiceAccount', onHere],
  ['NodeRestriction', offHere],
  ['TaintNodesByCondition', onHere],
  ['AlwaysPullImages', offHere],
  ['ImagePolicyWebhook', offHere],
  ['PodSecurity', onHere],
  ['PodNodeSelector', offHere],
  ['Priority', onHere],
  ['DefaultTolerationSeconds', onHere],
  ['PodTolerationRestriction', offHere],
  ['EventRateLimit', offHere],
  ['ExtendedResourceToleration', offHere],
  ['DefaultStorageClass', onHere],
  ['StorageObjectInUseProtection', onHere],
  ['PodGroupProtection', onHere],
  ['OwnerReferencesPermissionEnforcement', offHere],
  ['PersistentVolumeClaimResize', onHere],
  ['RuntimeClass', onHere],
  ['CertificateApproval', onHere],
  ['CertificateSigning', onHere],
  ['ClusterTrustBundleAttest', onHere],
  ['CertificateSubjectRestriction', onHere],
  ['DefaultIngressClass', onHere],
  ['DenyServiceExternalIPs', offHere],
  ['PodTopologyLabels', onHere],
  ['PodGroupWorkloadExists', onHere],
  ['NodeDeclaredFeatureValidator', onHere],
  ['JobValidation', onHere],
  ['PodResizeValidator', onHere],
  ['MutatingAdmissionPolicy', onHere],
  ['MutatingAdmissionWebhook', onHere],
  ['ValidatingAdmissionPolicy', onHere],
  ['ValidatingAdmissionWebhook', onHere],
  ['ResourceQuota', onHere],
  ['AlwaysDeny', offHere],
]);

/** What is wrong with a choice of plug-ins. */
export function admissionPluginProblems(enabled: readonly string[], disabled: readonly string[]): string[] {
  const unknown = (flag: string, names: readonly string[]): string[] =>
    names
      .filter((name) => !knownAdmissionPlugins.has(name))
      .map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  return [
    ...unknown('enable-admission-plugins', enabled),
    ...unknown('disable-admission-plugins', disabled),
    ...(both.length > 0
      ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
    ...enabled
      .filter((name) => knownAdmissionPlugins.get(name)?.here === false)
      .map((name) => `--enable-admission-plugins: this server does not have ${name} yet; leave it out`),
  ];
}

/** The names of those that are on, in the order in which they run. */
export const enabledAdmissionPlugins = (enabled: readonly string[], disabled: readonly string[]): string[] =>
  [...knownAdmissionPlugins].flatMap(([name, { byDefault, here }]) =>
    here && !disabled.includes(name) && (byDefault || enabled.includes(name)) ? [name] : [],
  );

/** Plug-ins that upstream would run and this server does not, for want of them: worth a line in the log. */
export const missingByDefault = (disabled: readonly string[]): string[] =>
  [...knownAdmissionPlugins].flatMap(([name, { byDefault, here }]) =>
    byDefault && !here && !disabled.includes(name) ? [name] : [],
  );
