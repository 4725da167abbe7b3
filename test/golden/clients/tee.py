"""Runs a command and notes each line of JSON that goes into it and comes out of it, in a file of its own."""

import subprocess
import sys
import threading


def main() -> None:
    path, *command = sys.argv[1:]
    lock = threading.Lock()
    with open(path, "w") as log, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:

        def copy(source, sink, who: str) -> None:
            for line in iter(source.readline, b""):
                with lock:
                    log.write(f'{{"from": "{who}", "message": {line.decode().strip()}}}\n')
                    log.flush()
                sink.write(line)
                sink.flush()
            if who == "client":
                child.stdin.close()

        reading = threading.Thread(target=copy, args=(sys.stdin.buffer, child.stdin, "client"), daemon=True)
        reading.start()
        copy(child.stdout, sys.stdout.buffer, "server")


main()
