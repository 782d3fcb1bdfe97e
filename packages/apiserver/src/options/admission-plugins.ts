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
const offElsewhere: KnownAdmissionPlugin = { byDefault: false, here: false };

/** All names that `--enable-admission-plugins` and `--disable-admission-plugins` may have. */
export const knownAdmissionPlugins: ReadonlyMap<string, KnownAdmissionPlugin> = new Map([
  // It does nothing, by its own definition.
  ['AlwaysAdmit', offHere],
  ['AlwaysDeny', offElsewhere],
  ['AlwaysPullImages', offElsewhere],
  ['CertificateApproval', onHere],
  ['CertificateSigning', onHere],
  ['CertificateSubjectRestriction', onElsewhere],
  ['ClusterTrustBundleAttest', onHere],
  ['DefaultIngressClass', onElsewhere],
  ['DefaultStorageClass', onElsewhere],
  ['DefaultTolerationSeconds', onElsewhere],
  ['DenyServiceExternalIPs', offElsewhere],
  ['EventRateLimit', offElsewhere],
  ['ExtendedResourceToleration', offElsewhere],
  ['ImagePolicyWebhook', offElsewhere],
  ['JobValidation', onElsewhere],
  ['LimitPodHardAntiAffinityTopology', offElsewhere],
  ['LimitRanger', onElsewhere],
  ['MutatingAdmissionPolicy', onElsewhere],
  ['MutatingAdmissionWebhook', onElsewhere],
  ['NamespaceAutoProvision', offElsewhere],
  ['NamespaceExists', offElsewhere],
  ['NamespaceLifecycle', onHere],
  ['NodeDeclaredFeatureValidator', onElsewhere],
  ['NodeRestriction', offElsewhere],
  ['OwnerReferencesPermissionEnforcement', offElsewhere],
  ['PersistentVolumeClaimResize', onElsewhere],
  ['PodGroupProtection', onElsewhere],
  ['PodGroupWorkloadExists', onElsewhere],
  ['PodNodeSelector', offElsewhere],
  ['PodResizeValidator', onElsewhere],
  ['PodSecurity', onElsewhere],
  ['PodTolerationRestriction', offElsewhere],
  ['PodTopologyLabels', onElsewhere],
  ['Priority', onElsewhere],
  ['ResourceQuota', onElsewhere],
  ['RuntimeClass', onElsewhere],
  ['ServiceAccount', onElsewhere],
  ['StorageObjectInUseProtection', onElsewhere],
  ['TaintNodesByCondition', onElsewhere],
  ['ValidatingAdmissionPolicy', onElsewhere],
  ['ValidatingAdmissionWebhook', onElsewhere],
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

/** Plug-ins that upstream would run and this server does not, for want of them: worth a line in the log. */
export const missingByDefault = (disabled: readonly string[]): string[] =>
  [...knownAdmissionPlugins].flatMap(([name, { byDefault, here }]) =>
    byDefault && !here && !disabled.includes(name) ? [name] : [],
  );
