import type { KubernetesObject } from '@coxswain/apimachinery';

/** Brings objects of a custom resource from one of its versions into another. */
export interface ObjectConverter {
  /** At once, where that is possible. Gives a new object that shares its parts with the one given. */
  readonly convertNow?: (object: KubernetesObject, apiVersion: string) => KubernetesObject;
  /**
   * All of them, each in its place; what is of that version already comes back as it is. Rejects with an ApiError that
   * says why it could not be done.
   */
  convert(objects: readonly KubernetesObject[], apiVersion: string): Promise<KubernetesObject[]>;
}

const convertNow = (object: KubernetesObject, apiVersion: string): KubernetesObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion };

/** The strategy `None`: versions differ by their names only, and each leaves out what the other does not know. */
export const noneConverter: ObjectConverter = {
  convertNow,
  convert: async (objects, apiVersion) => objects.map((object) => convertNow(object, apiVersion)),
};
