// Validation against the OpenAPI document. Nothing else knows which library does it.
export { validateRequest } from './request.ts';
export { InvalidResponseError, validateResponse } from './response.ts';
