"""A bot without a library: it replies "pong" to "ping".

It misses no message while it or the server restarts.

PARLEY_URL=… PARLEY_TOKEN=… python3 examples/bot.py
"""
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["PARLEY_URL"].rstrip("/")
TOKEN = os.environ["PARLEY_TOKEN"]
# The queue lives for a day without the bot.
WANTED = {"event_types": ["message"], "queue_lifespan_secs": 86400}
# The position in it, stored after each event.
PLACE = "bot.position.json"


def call(method, path, key=None, **params):
    """Sends lists and numbers as JSON. An error response is an HTTPError."""
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in params.items()}
    url, body = f"{URL}/api/v1{path}", urllib.parse.urlencode(texts)
    if method == "GET":
        url, body = f"{url}?{body}", None
    request = urllib.request.Request(url, body and body.encode(), method=method)
    request.add_header("Authorization", f"Bearer {TOKEN}")
    if key:  # A repeat with the same key does nothing more.
        request.add_header("Idempotency-Key", key)
    with urllib.request.urlopen(request, timeout=90) as response:
        return json.load(response)


def reply(message):
    if message["type"] == "stream":
        stream, topic = message["stream_id"], message["subject"]
        to = {"type": "stream", "to": stream, "topic": topic}
    else:
        users = [user["id"] for user in message["display_recipient"]]
        to = {"type": "direct", "to": users}
    try:
        call("POST", "/messages", f"pong-{message['id']}", content="pong", **to)
    except urllib.error.HTTPError as error:
        if error.code != 400:
            raise
        # Such as in a stream where bots cannot post.
        print(json.load(error)["msg"], flush=True)


def save(position):
    with open(f"{PLACE}.new", "w") as file:
        json.dump(position, file)
    os.replace(f"{PLACE}.new", PLACE)


def load():
    if os.path.exists(PLACE):
        with open(PLACE) as file:
            return json.load(file)
    queue = call("POST", "/register", **WANTED)
    return {name: queue[name] for name in ("queue_id", "last_event_id")}


def run():
    position = load()
    save(position)
    print("The bot listens.", flush=True)
    while True:
        try:
            for event in call("GET", "/events", **position)["events"]:
                message = event.get("message", {})
                if event["type"] == "message" and message["content"] == "ping":
                    reply(message)
                position["last_event_id"] = event["id"]
                save(position)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            if problem["code"] == "BAD_EVENT_QUEUE_ID":
                # The bot was away for more than a day.
                os.remove(PLACE)
                save(position := load())
            elif error.code in (429, 503):
                time.sleep(problem.get("retry-after", 1))
            else:
                raise SystemExit(f"{problem['code']}: {problem['msg']}")
        except (OSError, ValueError):  # The server restarts, or the network is gone.
            time.sleep(1)


if __name__ == "__main__":
    run()
