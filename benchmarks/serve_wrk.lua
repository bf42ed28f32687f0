-- Sends the requests of a file in turn, and writes what wrk has measured as JSON; see serve_wrk.py.

local requests, number = {}, 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in file:read("*a"):gmatch("[^%z]+") do
    requests[#requests + 1] = text
  end
  file:close()
end

function request()
  number = number % #requests + 1
  return requests[number]
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local format = '\n{"responses": %d, "wrong": %d, "lost": %d, "seconds": %.6f, "p50": %.6f, "p99": %.6f, "p999": %.6f}\n'
  local at = function(percentile) return latency:percentile(percentile) / 1e6 end
  print(format:format(summary.requests, errors.status, lost, summary.duration / 1e6, at(50), at(99), at(99.9)))
end
