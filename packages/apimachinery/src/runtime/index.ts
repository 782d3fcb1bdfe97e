export { defaultFieldLabelConversion, type FieldLabelConversion } from './field-label.ts';
export { type HubConversion, identityConversion } from './hub-conversion.ts';
export {
  nestedBool,
  nestedField,
  nestedInt64,
  nestedMap,
  nestedNumber,
  nestedSlice,
  nestedString,
  nestedStringMap,
  nestedStringSlice,
  removeNestedField,
  setNestedField,
} from './nested-field.ts';
export { API_VERSION_INTERNAL, isObject, type RuntimeObject } from './object.ts';
export { defineType, ObjectType } from './object-type.ts';
export { Scheme } from './scheme.ts';
export { MissingKindError, MissingVersionError, NotRegisteredError } from './scheme-errors.ts';
