import { stringify } from 'yaml';
import type { JsonObject } from './go-value.ts';
import { sortedKeys } from './go-value.ts';
