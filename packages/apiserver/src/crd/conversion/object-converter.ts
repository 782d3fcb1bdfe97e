import type { KubernetesObject } from '@coxswain/apimachinery';

/** Converts objects of a custom resource to another version. */
export interface ObjectConverter {
  /** Synchronous conversion, if supported. Returns a new object that shares parts with the given one. */
  readonly convertNow?: (object: KubernetesObject, apiVersion: string) => KubernetesObject;
  /**
   * Converts all objects, in the same order. Objects of that version are returned as they are. Rejects with an ApiError
   * that states why a conversion failed.
   */
  convert(objects: readonly KubernetesObject[], apiVersion: string): Promise<KubernetesObject[]>;
}

const convertNow = (object: KubernetesObject, apiVersion: string): KubernetesObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion };

/** The strategy `None`: changes the apiVersion only. Unknown fields are pruned by the schema of the version. */
export const noneConverter: ObjectConverter = {
  convertNow,
  convert: async (objects, apiVersion) => objects.map((object) => convertNow(object, apiVersion)),
};
