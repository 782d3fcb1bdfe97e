import { testTranscripts } from './test-transcripts.ts';

testTranscripts('auth', 'workloads', 'nodes');
