// The plug-ins that make a sampler, with the vocabulary that they work on.
#pragma once

#include "core/random/random.h"
#include "core/vocabulary.h"
#include "samplers/noise/noise_process.h"
#include "samplers/selection/selection_rule.h"
#include "samplers/stopping/stopping_criterion.h"
#include "schedules/noise/noise_schedule.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {

struct Rules {
  const NoiseProcess& noise;
  const NoiseSchedule& noise_schedule;
  const TemperatureSchedule& temperature;
  const SelectionRule& selection;
  const StoppingCriterion& stopping;
  const Vocabulary& vocabulary;
};

}  // namespace canvaslab
