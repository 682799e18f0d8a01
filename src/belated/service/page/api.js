// Calls to the service. The key lives in the sessionStorage of this tab and in no other place.

const PLACE = "belated.key", PATIENCE = 10_000;

/** The service has said no: `type`, `message` and perhaps `argument` are its own words. */
export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, { status, type: error.type, argument: error.argument });
  }
}

/** The service has not answered at all. */
export class Away extends Error {}

export const key = {
  get: () => sessionStorage.getItem(PLACE),
  set: (text) => sessionStorage.setItem(PLACE, text),
  forget: () => sessionStorage.removeItem(PLACE),
};

let skew = 0; // milliseconds that the clock of the service is ahead of the clock of this machine

/** Now, by the clock of the service, in microseconds. */
export const now = () => (Date.now() + skew) * 1000;

function notice(reply) {
  const ahead = Date.parse(reply.headers.get("date")) - Date.now(); // the header has whole seconds
  skew = Math.abs(ahead) > 2000 ? ahead : 0;
}

export async function call(method, path, body) {
  const headers = { authorization: `Bearer ${key.get()}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  let reply, data;
  try {
    reply = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
      credentials: "omit", redirect: "error", signal: AbortSignal.timeout(PATIENCE),
    });
    data = await reply.json();
  } catch (problem) {
    if (reply === undefined || !(problem instanceof SyntaxError)) throw new Away("The service cannot be reached.");
  }
  notice(reply);
  if (reply.ok && data !== undefined) return data;
  throw new Refused(reply.status, data?.error ?? { type: "internal", message: `The service answers ${reply.status}.` });
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

/** Where the service keeps a learner, and where the page shows it. */
export const at = (name, rest = "") => `/v1/learners/${encodeURIComponent(name)}${rest}`;
export const page = (name, decision) =>
  `#/learner/${encodeURIComponent(name)}${decision === undefined ? "" : `/decision/${encodeURIComponent(decision)}`}`;
