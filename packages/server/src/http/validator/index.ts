// Validation against the OpenAPI document. Only this folder depends on the library.
export { validateRequest } from './request.ts';
export { InvalidResponseError, validateResponse } from './response.ts';
