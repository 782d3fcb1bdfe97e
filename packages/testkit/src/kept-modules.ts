/**
 * The modules that the scripts of `kept-cluster.ts` share with the test, so that each exists once: an error of the cluster is an instance
 * of the test's `ApiError`. `scripts/build-kept-cluster.ts` fails when one is missing here.
 */
import * as apimachinery from '@coxswain/apimachinery';
import * as abort from '@coxswain/apimachinery/abort';
import * as cache from '@coxswain/apimachinery/cache';
import * as clock from '@coxswain/apimachinery/clock';
import * as codecJson from '@coxswain/apimachinery/codec/json';
import * as yaml from '@coxswain/apimachinery/codec/yaml';
import * as der from '@coxswain/apimachinery/der';
import * as errors from '@coxswain/apimachinery/errors';
import * as field from '@coxswain/apimachinery/field';
import * as intstr from '@coxswain/apimachinery/intstr';
import * as json from '@coxswain/apimachinery/json';
import * as jwtReader from '@coxswain/apimachinery/jwt';
import * as labels from '@coxswain/apimachinery/labels';
import * as log from '@coxswain/apimachinery/log';
import * as meta from '@coxswain/apimachinery/meta';
import * as quantity from '@coxswain/apimachinery/quantity';
import * as random from '@coxswain/apimachinery/random';
import * as restmapper from '@coxswain/apimachinery/restmapper';
import * as schema from '@coxswain/apimachinery/schema';
import * as time from '@coxswain/apimachinery/time';
import * as turns from '@coxswain/apimachinery/turns';
import * as validation from '@coxswain/apimachinery/validation';
import * as x509Reader from '@coxswain/apimachinery/x509';
import * as client from '@coxswain/client';
import * as files from '@coxswain/client/files';
import * as informers from '@coxswain/client/informers';
import * as jwt from '@coxswain/client/jwt';
import * as kubeconfig from '@coxswain/client/kubeconfig';
import * as observe from '@coxswain/client/observe';
import * as workqueue from '@coxswain/client/workqueue';
import * as x509 from '@coxswain/client/x509';

export const modules: Readonly<Record<string, object>> = {
  '@coxswain/apimachinery': apimachinery,
  '@coxswain/apimachinery/abort': abort,
  '@coxswain/apimachinery/cache': cache,
  '@coxswain/apimachinery/clock': clock,
  '@coxswain/apimachinery/codec/json': codecJson,
  '@coxswain/apimachinery/codec/yaml': yaml,
  '@coxswain/apimachinery/der': der,
  '@coxswain/apimachinery/errors': errors,
  '@coxswain/apimachinery/field': field,
  '@coxswain/apimachinery/intstr': intstr,
  '@coxswain/apimachinery/json': json,
  '@coxswain/apimachinery/jwt': jwtReader,
  '@coxswain/apimachinery/labels': labels,
  '@coxswain/apimachinery/log': log,
  '@coxswain/apimachinery/meta': meta,
  '@coxswain/apimachinery/quantity': quantity,
  '@coxswain/apimachinery/random': random,
  '@coxswain/apimachinery/restmapper': restmapper,
  '@coxswain/apimachinery/schema': schema,
  '@coxswain/apimachinery/time': time,
  '@coxswain/apimachinery/turns': turns,
  '@coxswain/apimachinery/validation': validation,
  '@coxswain/apimachinery/x509': x509Reader,
  '@coxswain/client': client,
  '@coxswain/client/files': files,
  '@coxswain/client/informers': informers,
  '@coxswain/client/jwt': jwt,
  '@coxswain/client/kubeconfig': kubeconfig,
  '@coxswain/client/observe': observe,
  '@coxswain/client/workqueue': workqueue,
  '@coxswain/client/x509': x509,
};
