export { byteLength, isLongerThan } from './byte-length.ts';
export {
  type CIDR,
  getWarningsForCIDR,
  isCIDRWithin,
  isValidCIDR,
  isValidCIDRForLegacyField,
  isValidInterfaceAddress,
  parseCIDRSloppy,
} from './cidr.ts';
export { validateCondition, validateConditions } from './condition.ts';
export {
  dns1035LabelMaxLength,
  dns1123LabelMaxLength,
  dns1123SubdomainMaxLength,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainBytes,
  isDns1123SubdomainCaseless,
  isDns1123SubdomainWithUnderscore,
  isWildcardDns1123Subdomain,
} from './dns.ts';
export {
  isDomainPrefixedKey,
  isDomainPrefixedPath,
  isFullyQualifiedDomainName,
  isFullyQualifiedName,
} from './domain-name.ts';
export { validateFinalizerName, validateFinalizers, validateNoNewFinalizers } from './finalizers.ts';
export {
  fieldImmutableErrorMessage,
  isNegativeErrorMessage,
  validateImmutableField,
  validateNonnegativeField,
} from './immutable.ts';
export { getWarningsForIP, isValidIP, isValidIPForLegacyField } from './ip.ts';
export { formatIP, type IPAddress, isIPv4, parseIPSloppy } from './ip-address.ts';
export {
  isCIdentifier,
  isConfigMapKey,
  isDecimalInteger,
  isEnvVarName,
  isHTTPHeaderName,
  isRelaxedEnvVarName,
  isValidPercent,
} from './key-format.ts';
export { isQualifiedName, isValidLabelValue, labelKeyMaxLength, labelValueMaxLength } from './label-format.ts';
export {
  type FieldSelectorValidationOptions,
  type LabelSelectorValidationOptions,
  labelSelectorHasInvalidLabelValue,
  validateFieldSelectorRequirement,
  validateLabelName,
  validateLabelSelector,
  validateLabelSelectorRequirement,
  validateLabels,
} from './labels.ts';
export { maxSubresourceNameLength, validateManagedFields } from './managed-fields.ts';
export { emptyError, inclusiveRangeError, maxLenError, regexError } from './messages.ts';
export {
  isPathSegmentName,
  isPathSegmentPrefix,
  maskTrailingDash,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  pathSegmentName,
  type ValidateNameFunc,
  validateNamespaceName,
  validateServiceAccountName,
} from './name.ts';
export { isInRange, isValidGroupId, isValidPortName, isValidPortNum, isValidUserId } from './number-range.ts';
export {
  totalAnnotationSizeLimitBytes,
  type ValidateNameFuncWithErrors,
  validateAnnotations,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateObjectMetaWithOpts,
} from './object-meta.ts';
export {
  fieldManagerMaxLength,
  validateCreateOptions,
  validateDeleteOptions,
  validateDryRun,
  validateFieldManager,
  validateFieldValidation,
  validatePatchOptions,
  validateTableOptions,
  validateUpdateOptions,
} from './options.ts';
export { validateOwnerReferences } from './owner-references.ts';
export { repeated } from './repeated.ts';
export { semanticEqual } from './semantic-equal.ts';
export { type StringCheck, type StringFormat, stringCheck } from './string-format.ts';
export { trim, trimRight } from './trim.ts';
